import { execute } from '../support/database';
import { administer } from '../support/kafka/consumer';
import type { Deployment } from './deployment';
import type { EventTopic } from './event-topic';

/** Describes the state of Kafka in a deployment, to find out why no events came through it. */
export async function standing(
  deployment: Deployment,
  brokers: string,
  { name, group }: EventTopic,
): Promise<string> {
  const parts: Record<string, () => Promise<unknown>> = {
    'the group that builds the read models': () =>
      administer(brokers, async (admin) => {
        const { groups } = await admin.describeGroups([group]);
        return groups.map(({ state, members }) => `${state}: ${members.map(({ memberId }) => memberId)}`);
      }),
    'its offsets, committed': () =>
      administer(brokers, async (admin) => {
        const [{ partitions }] = await admin.fetchOffsets({ groupId: group, topics: [name] });
        return partitions.map(({ partition, offset }) => `${partition}: ${offset}`);
      }),
    'the ends of the topic': () =>
      administer(brokers, async (admin) =>
        (await admin.fetchTopicOffsets(name)).map(({ partition, high }) => `${partition}: ${high}`),
      ),
    'the sessions that publish': () =>
      execute(
        deployment.url,
        `select application_name, count(*)::int as partitions
         from pg_stat_activity join pg_locks using (pid)
         where application_name like 'practice publisher locks %' and locktype = 'advisory' and granted
         group by 1`,
      ),
    'events that were not published yet': () =>
      execute(
        deployment.url,
        `select p.partition, p.updated_at, count(e.*)::int as unpublished from event_store.published p
         left join event_store.events e on e.partition = p.partition
           and (e.epoch, e.transaction_id, e.position) > (p.epoch, p.transaction_id, p.position)
         where p.topic = $1 group by 1, 2 having count(e.*) > 0 order by 1`,
        [name],
      ),
  };
  const told = Object.entries(parts).map(async ([name, ask]) => {
    const answer = await ask().catch((error: Error) => `cannot be told: ${error.message}`);
    return `${name}: ${JSON.stringify(answer)}`;
  });
  const said = deployment.sayings('projector', /^(event_bus_|projection_lag_).*$/gm);
  return [await said, ...(await Promise.all(told))].join('\n');
}
