import { randomUUID } from 'node:crypto';
import type { RecordedEvent } from '#event-store/events';
import { newId, toUuid } from '#kernel/ids';
import { BillableStatus, left } from '#practice/billable/billable';
import { WorkItem, type WorkItemState } from '#practice/work-items/work-item';
import type { WorkItemEvent } from '#practice/work-items/work-item.events';
import type { Firm } from './firm';
import { type Step, weekOf } from './work-item-lives';

/** Of a round, a multiple of eight: in each something else of a life befalls the items of the five before. */
const ITEMS = 400;
const NOTHING = { amount: '0', units: '0' };
/** Behind whatever the tables hold. */
const EPOCH = 1_000_000;

/**
 * Batches of the feed in which every item stands at another point of its life: recorded, changed, finalised, written off,
 * put on an invoice's draft, billed. No batch has two events of one item, so none can be written as one.
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
  /** What is still to happen to the items of a round, in waves. */
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

/** Each finalised item that a client pays for comes onto an invoice's draft, and is billed for all that is left of it. */
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
