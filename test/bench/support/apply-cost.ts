import { toId } from '#kernel/ids';
import { workItemsProjection } from '#practice/work-items/work-item.projection';
import { live } from '#projections/live';
import { execute } from '../../support/database';
import { openStore } from '../../support/store';
import { batchesOf } from './apply-batches';
import type { Firm } from './firm';
import { median } from './rounds';

const BATCH = 500;
const ROUNDS = 40;
/** Batches that are not counted: in the first ones, items take only a few kinds of step, and nothing is cached. */
const WARM_UP = 30;

/** In microseconds per event. */
export interface ApplyCost {
  /** The projection's work on a batch: the median batch. */
  apply: number;
  /** The same with the transaction, including its commit to disk. */
  transaction: number;
  /** Like `transaction`, but the mean of all batches, including slow ones. */
  mean: number;
}

/**
 * Applies events of new items to a firm's read model of work items, one transaction per batch, like the projector but
 * without its checkpoint. Changes the database.
 */
export async function measureApply(url: string, tenantId: number): Promise<ApplyCost> {
  const generation = await generationOf(url, tenantId);
  const firm = await firmOf(url, tenantId);
  const before = await countOf(url, tenantId);
  const opened = openStore(url, []);
  const applied: number[] = [];
  const transactions: number[] = [];
  let events = 0;
  try {
    for (const batch of batchesOf(firm, tenantId, ROUNDS, BATCH)) {
      const began = performance.now();
      await opened.reads.transaction(async (client) => {
        const asked = performance.now();
        await workItemsProjection.apply(client, generation, batch);
        applied.push(performance.now() - asked);
      });
      transactions.push(performance.now() - began);
      events += batch.length;
    }
  } finally {
    await opened.close();
  }
  const after = await countOf(url, tenantId);
  if (after - before !== events) throw new Error(`${after - before} events are in the rows of ${events}`);
  const [apply, whole] = [applied, transactions].map((times) =>
    times.slice(WARM_UP).map((ms) => (ms * 1000) / BATCH),
  );
  const mean = whole.reduce((sum, each) => sum + each, 0) / whole.length;
  return { apply: median(apply), transaction: median(whole), mean };
}

async function generationOf(url: string, tenantId: number): Promise<number> {
  const [{ generation }] = await execute<{ generation: number }>(
    url,
    `select read_model.live_generation('work-items', $1) as generation`,
    [tenantId],
  );
  return generation;
}

/** The number of events in the firm's rows. */
async function countOf(url: string, tenantId: number): Promise<number> {
  const [{ events }] = await execute<{ events: string }>(
    url,
    `select sum(w.version) as events from read_model.work_items w where ${live('work-items', 'w', '$1')}`,
    [tenantId],
  );
  return Number(events);
}

/** The matters and the employees of the firm's work. */
async function firmOf(url: string, tenantId: number): Promise<Firm> {
  const ids = async <Kind extends 'matter' | 'employee'>(kind: Kind) => {
    const rows = await execute<{ id: string }>(
      url,
      `select distinct w.${kind}_id as id from read_model.work_items w
       where ${live('work-items', 'w', '$1')} and w.${kind}_id is not null order by 1`,
      [tenantId],
    );
    return rows.map(({ id }) => toId(kind, id));
  };
  return { matterIds: await ids('matter'), employeeIds: await ids('employee') };
}
