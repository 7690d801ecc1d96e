import { SealVerification, type TenantProof } from '#event-store/seals/seal-verification';
import { Seals } from '#event-store/seals/seals';
import { openParent, renameParent } from '#event-store/testing/commands';
import { Parent } from '#event-store/testing/streams';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, type TestStore } from '../../../../test/support/store';
import { waitFor } from '../../../../test/support/wait-for';

/** Forges the data of the event at the given position. */
export const CHANGE = `update event_store.events set data = jsonb_set(data, '{name}', '"forged"') where position = $1`;

/** An event's identity and position. */
export interface StoredEvent {
  stream_id: string;
  version: number;
  position: string;
  transaction_id: string;
}

/** The seals of a test store. */
export function sealsOf({ writes, feed }: TestStore) {
  const seals = new Seals(writes, feed);
  const verification = new SealVerification(writes);
  return {
    seals,
    /** Seals all events. Waits for the feed, which any open transaction of the server holds back. */
    async sealAll(): Promise<void> {
      await waitFor(
        async () => {
          await seals.sealNow();
          return (await verification.verify()).every(({ unsealed }) => unsealed === 0);
        },
        { description: 'everything to be sealed' },
      );
    },
    verify: verification.verify.bind(verification),
    async proofOf(
      { tenant }: RequestContext,
      kept?: Parameters<typeof verification.verify>[1],
    ): Promise<TenantProof> {
      return (await verification.verify(tenant.alias, kept))[0];
    },
  };
}

export type SealsOf = ReturnType<typeof sealsOf>;

/** Writes three versions of a new parent. */
export async function writeThree({ store }: TestStore, context: RequestContext, name: string): Promise<void> {
  const { record } = await openParent(store, context, { name });
  await renameParent(store, context, record.id, `${name} renamed`);
  await renameParent(store, context, record.id, `${name} renamed again`);
}

/** A tenant's events in feed order. */
export async function eventsOf({ writes }: TestStore, { tenant }: RequestContext): Promise<StoredEvent[]> {
  const { rows } = await writes.pool.query<StoredEvent>(
    `select stream_id, version, position, transaction_id from event_store.events where tenant_id = $1
     order by epoch, transaction_id, position`,
    [tenant.id],
  );
  return rows;
}

/** Two tenants with nine events each, in at least three blocks; `events` are those of the first. */
export async function createSealedStore() {
  const store = await createTestStore([Parent]);
  const [context, other] = [await createContext(store), await createContext(store)];
  const sealed = sealsOf(store);
  for (const name of ['one', 'two', 'three']) {
    await writeThree(store, context, name);
    await writeThree(store, other, name);
    await sealed.sealAll();
  }
  return { store, context, other, sealed, events: await eventsOf(store, context) };
}
