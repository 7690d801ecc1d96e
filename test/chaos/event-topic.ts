import { type Admin, AssignerProtocol } from 'kafkajs';
import { execute } from '../support/database';
import { administer, createTopic } from '../support/kafka/consumer';
import { waitFor } from '../support/wait-for';
import { LOADED_MS } from './loaded';

/** The topic of a deployment, and the group that builds its read models, as an operator of Kafka sees them. */
export class EventTopic {
  private constructor(
    private readonly brokers: string,
    readonly name: string,
    readonly group: string,
    private readonly partitions: number,
  ) {}

  /**
   * @param database URL of the deployment's database, which has the installation's id that is part of the group's name
   */
  static async of(brokers: string, name: string, partitions: number, database: string): Promise<EventTopic> {
    const [{ id }] = await execute<{ id: string }>(database, 'select id from platform.installation');
    return new EventTopic(brokers, name, `${name}.projections.${id}`, partitions);
  }

  /** Deletes the topic with all its messages and creates it again, unless one of the processes creates it first. */
  async recreate(): Promise<void> {
    await administer(this.brokers, (admin) => admin.deleteTopics({ topics: [this.name] }));
    await createTopic(this.brokers, this.name, this.partitions);
  }

  /**
   * Resolves when the given number of members share all partitions, and at least one of them is not among the former
   * ones.
   * @returns their ids
   */
  async shared(members: number, former: string[] = []): Promise<string[]> {
    let ids: string[] = [];
    await administer(this.brokers, (admin) =>
      waitFor(
        async () => {
          const owned = await this.assignments(admin);
          ids = [...owned.keys()];
          const partitions = [...owned.values()];
          const isOther = ids.some((id) => !former.includes(id));
          const hasEachSome = ids.length === members && partitions.every((own) => own.length > 0);
          return isOther && hasEachSome && new Set(partitions.flat()).size === this.partitions;
        },
        { timeoutMs: LOADED_MS, description: `${members} members that share all partitions` },
      ),
    );
    return ids;
  }

  /** The partitions of each member; empty while the group is rebalancing. */
  private async assignments(admin: Admin): Promise<Map<string, number[]>> {
    const { groups } = await admin.describeGroups([this.group]);
    const [{ state, members }] = groups;
    if (state !== 'Stable') return new Map();
    return new Map(
      members.map(({ memberId, memberAssignment }) => {
        const assignment = AssignerProtocol.MemberAssignment.decode(memberAssignment);
        return [memberId, assignment?.assignment[this.name] ?? []];
      }),
    );
  }
}
