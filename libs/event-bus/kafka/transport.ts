import type { EventMessage, ReceivedMessage } from './cloud-event';

/** Messages of one partition, in the order of the topic. */
export interface ReceivedBatch {
  partition: number;
  messages: ReceivedMessage[];
}

/** Callbacks by which a member of a consumer group is notified. */
export interface Member {
  /** The member now owns exactly these partitions of the topic; none while the group rebalances. */
  assigned(partitions: number[]): void;
  /**
   * Takes a batch. The next one of its partition is delivered after this resolves.
   * @returns false when nothing in it was new: the messages between it and the end of the topic may be skipped
   */
  received(batch: ReceivedBatch): Promise<boolean>;
}

export interface Membership {
  /** The reason why nothing is delivered, as long as that is so. */
  readonly problem?: string;
  /** Leaves the group, so that others take over at once. */
  leave(): Promise<void>;
}

/** The brokers refuse the messages for their size. */
export class TooLarge extends Error {}

/**
 * The operations that this service needs of a Kafka client. Each may be called while no broker answers; those with a
 * promise then throw CarrierAway.
 */
export abstract class KafkaTransport {
  /** The topic's number of partitions; undefined when there is no such topic. */
  abstract partitionsOf(topic: string): Promise<number | undefined>;

  /** The partitions of an existing topic that never held a message. One whose messages were deleted is not among them. */
  abstract unwritten(topic: string): Promise<number[]>;

  /** Creates the topic unless it exists. @returns whether it was created */
  abstract createTopic(topic: string, partitions: number, replication: number): Promise<boolean>;

  /**
   * Resolves when all in-sync replicas have stored every message. After a failure each partition may have stored a first
   * part of its messages.
   * @returns the partitions that held no message before
   * @throws TooLarge when the topic does not take so much at once
   */
  abstract send(topic: string, messages: EventMessage[]): Promise<number[]>;

  /**
   * Joins a consumer group, and joins again after each failure until the membership is left. Offsets are committed for
   * monitoring only: consumers do not depend on where reading resumes.
   */
  abstract join(group: string, topic: string, member: Member): Membership;

  abstract close(): Promise<void>;
}
