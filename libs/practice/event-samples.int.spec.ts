import type { RecordedEvent } from '#event-store/events';
import { derivedOf } from '#event-store/streams/testing/derived';
import { readFeed } from '#event-store/testing/read-feed';
import type { RequestContext } from '#platform/request-context';
import { createTestStore, type TestStore } from '../../test/support/store';
import { definitions } from './areas';
import { shapeDifferences, storedSamples, unseen } from './testing/event-samples';
import { createFirm } from './testing/firm';
import { liveFirm } from './testing/firm-life';

/** Events that hold only what changed. */
const isPartial = (type: string) => /(Updated|Changed)$/.test(type);
const types = definitions.flatMap((definition) =>
  Object.entries(definition.events).map(([type, upcasters]) => [type, String(upcasters.length + 1)]),
);
const samples = storedSamples();

describe('the events that a firm writes', () => {
  let store: TestStore;
  let events: RecordedEvent[];

  beforeAll(async () => {
    store = await createTestStore(definitions);
    const context = await createFirm(store);
    await liveFirm(store.store, context);
    events = await written(context);
  });
  afterAll(() => store.close());

  async function written({ tenant }: RequestContext): Promise<RecordedEvent[]> {
    const heads = await store.writes.pool.query<{ epoch: number; transaction_id: string; position: string }>(
      `select epoch, transaction_id, position from event_store.events
       order by epoch desc, transaction_id desc, position desc limit 1`,
    );
    const { epoch, transaction_id, position } = heads.rows[0];
    return readFeed(store.feed, tenant.partition, {
      epoch,
      transactionId: BigInt(transaction_id),
      position: BigInt(position),
    });
  }

  // A change of an event's data needs a new schema version: an upcaster, and a sample beside the old one.
  it.each(types)('%s has the shape of its sample of version %s', (type, version) => {
    const data = events.filter(({ event }) => event.type === type).map(({ event }) => event.data);
    const sample = samples[type][version];
    expect(data.flatMap((one) => shapeDifferences(sample, one, isPartial(type)))).toEqual([]);
    expect(unseen(sample, data)).toEqual([]);
  });

  it('fold to the state that the store keeps', async () => {
    const verified = await derivedOf(store).verifier.verify();
    expect(verified).toMatchObject({ differences: 0, outdated: 0, findings: [] });
    expect(verified.streams).toBeGreaterThan(15);
  });
});
