import type { EventMessage, ReceivedMessage } from './cloud-event';

/** Messages of one partition, in the order of the topic. */
export interface ReceivedBatch {
  partition: number;
  messages: ReceivedMessage[];
}

/** What a member of a consumer group is told. */
export interface Member {
  /** These partitions of the topic are its own now, and no others; none while the group is being shared out. */
  assigned(partitions: number[]): void;
  /**
   * No more of the partition comes until this resolves.
   * @returns false when nothing in it was new: what lies between it and the end of the topic may be left out
   */
  received(batch: ReceivedBatch): Promise<boolean>;
}

export interface Membership {
  /** Why nothing comes, while that is so. */
  readonly problem?: string;
  /** Leaves the group, so that others take over at once. */
  leave(): Promise<void>;
}

/** All that is asked of a Kafka client; each method may be called while no broker answers. */
export abstract class KafkaTransport {
  /** Partitions of the topic; undefined when there is none. */
  abstract partitionsOf(topic: string): Promise<number | undefined>;

  /** Makes the topic, unless it is there already. */
  abstract createTopic(topic: string, partitions: number, replication: number): Promise<void>;

  /** Resolves when every message is kept by all replicas in sync; after a failure some may be, a beginning in each partition. */
  abstract send(topic: string, messages: EventMessage[]): Promise<void>;

  /**
   * Joins a consumer group, again and again until it leaves. Offsets are kept for those who watch the group: where
   * it reads on after a pause is of no consequence.
   */
  abstract join(group: string, topic: string, member: Member): Membership;

  abstract close(): Promise<void>;
}
