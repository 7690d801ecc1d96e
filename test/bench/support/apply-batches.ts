import { randomUUID } from 'node:crypto';
import type { RecordedEvent } from '#event-store/events';
import { newId, toUuid } from '#kernel/ids';
import { BillableStatus, left } from '#practice/billable/billable';
import { WorkItem, type WorkItemState } from '#practice/work-items/work-item';
import type { WorkItemEvent } from '#practice/work-items/work-item.events';
import type { Firm } from './firm';
import { type Step, weekOf } from './work-item-lives';

/**
 * Items of a round, a multiple of eight. In each round, the items of the five rounds before take the next step of their
 * lives.
 */
const ITEMS = 400;
const NOTHING = { amount: '0', units: '0' };
/** Later than every epoch in the tables. */
const EPOCH = 1_000_000;

/**
 * Batches of the feed in which the items are at different points of their lives: recorded, changed, finalised, written
 * off, put on a draft invoice, billed. No batch has two events of one item, so no two events can be written as one.
 */
export function* batchesOf(
  firm: Firm,
  tenantId: number,
  rounds: number,
  size: number,
): Generator<RecordedEvent[]> {
  const versions = new Map<string, number>();
  let position = 0n;
  let batch: RecordedEvent[] = [];
  for (const { id, event } of stepsOf(firm, rounds)) {
    const version = (versions.get(id) ?? 0) + 1;
    versions.set(id, version);
    const at = { epoch: EPOCH, transactionId: ++position, position };
    batch.push({
      tenantId,
      streamId: toUuid(id),
      version,
      eventId: randomUUID(),
      event,
      metadata: { actor: 'integration:bench', correlationId: 'bench', source: 'rest' },
      recordedAt: new Date(),
      partition: 0,
      at,
    });
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
}

function* stepsOf(firm: Firm, rounds: number): Generator<Step> {
  /** The later steps of each round's items, in waves. */
  let lives: Step[][][] = [];
  for (let round = 0; round < rounds; round++) {
    const { created, waves } = weekOf(round, ITEMS, firm);
    yield* created;
    for (const life of lives) yield* life.shift()!;
    lives = [...lives, [...waves, ...invoiced([created, ...waves].flat())]].filter(
      ({ length }) => length > 0,
    );
  }
}

/** Puts each finalised billable item on a draft invoice, and bills all that is left of it. */
function invoiced(steps: Step[]): [reserved: Step[], billed: Step[]] {
  const states = new Map<Step['id'], WorkItemState>();
  for (const { id, event } of steps) states.set(id, WorkItem.evolve(states.get(id), event));
  const charged = [...states].filter(
    ([, state]) => state.state === BillableStatus.Finalised && WorkItem.isBillable(state),
  );
  const invoiceId = newId('invoice');
  return [
    charged.map(([id]) => ({ id, event: { type: 'WorkItemReserved', data: { invoiceId } } })),
    charged.map(([id, state]) => ({ id, event: billed(state, invoiceId) })),
  ];
}

function billed(state: WorkItemState, invoiceId: string): WorkItemEvent {
  const settlement = { day: state.entryDay, billed: left(state), writtenOff: NOTHING, writtenUp: NOTHING };
  const data = { invoiceId, settlement, dimensions: WorkItem.dimensions(state) };
  return { type: 'WorkItemBilled', data };
}
