import { type Id, newId } from '#kernel/ids';
import { decimal, text } from '#kernel/money';
import type { Day } from '#kernel/zone';
import { movement } from '#practice/billable/billable';
import { finalised } from '#practice/billable/billable.transitions';
import { WorkItem, type WorkItemState } from '#practice/work-items/work-item';
import type { WorkItemEvent } from '#practice/work-items/work-item.events';
import type { Firm } from './firm';

/** One event of one work item. */
export interface Step {
  id: Id<'workitem'>;
  event: WorkItemEvent;
}

/** A firm's week. First all items are recorded, then they are changed, finalised and written off, in waves. */
export interface Week {
  created: Step[];
  waves: Step[][];
}

type Later = 'revalued' | 'retitled' | 'finalised' | 'written off';

/**
 * What happens to eight items after they were recorded: twelve events, so an item has 2.5 events with its first one.
 */
const LATER: Later[][] = [
  ['revalued', 'finalised'],
  ['retitled', 'finalised'],
  ['revalued', 'retitled', 'finalised'],
  ['finalised'],
  ['finalised'],
  ['finalised', 'written off'],
  [],
  ['retitled'],
];

export const EVENTS_AN_ITEM = 2.5;
const MONDAY = Date.UTC(2025, 0, 6);
const DAY_MS = 86_400_000;
const RATES = ['180', '215.5', '250', '312.5'];
const DONE = ['Reading', 'Drafting', 'Amending', 'Discussing', 'Filing', 'Reviewing'];
const THINGS = [
  'the lease',
  'a witness statement',
  'the deed of variation',
  'particulars of claim',
  'a will',
];
const FOR = ['with the client', 'for the landlord', 'before the hearing', 'and writing to counsel'];

/** @param items number of items in the week, a multiple of eight */
export function weekOf(number: number, items: number, firm: Firm): Week {
  const created: Step[] = [];
  const waves: Step[][] = [[], [], []];
  for (let item = 0; item < items; item++) {
    const id = newId('workitem');
    const index = number * items + item;
    const first = recorded(index, number, firm);
    created.push({ id, event: first });
    let state = WorkItem.evolve(undefined, first);
    LATER[item % LATER.length].forEach((what, wave) => {
      const event = later(what, state);
      waves[wave].push({ id, event });
      state = WorkItem.evolve(state, event);
    });
  }
  return { created, waves };
}

function recorded(index: number, week: number, { matterIds, employeeIds }: Firm): WorkItemEvent {
  const entryDate = new Date(MONDAY + (week * 7 + (index % 5)) * DAY_MS + (9 * 60 + (index % 480)) * 60_000);
  const entryDay = entryDate.toISOString().slice(0, 10) as Day;
  const amount = RATES[index % RATES.length];
  const units = 1 + ((index * 7) % 40);
  return {
    type: 'WorkItemCreated',
    data: {
      matterId: matterIds[(index * 13) % matterIds.length],
      employeeId: employeeIds[(index * 3) % employeeIds.length],
      taskTypeId: null,
      itemType: 0,
      entryDate: entryDate.toISOString(),
      entryDay,
      ...timed(units, amount),
      unitsOverridden: false,
      minutesPerUnit: '6',
      rate: { amount, currency: 'GBP' },
      rateSource: 'Request',
      title: titleOf(index),
      isBillable: index % 16 !== 0,
      externalReference: null,
      referenceOwner: null,
    },
  };
}

function later(what: Later, state: WorkItemState): WorkItemEvent {
  switch (what) {
    case 'revalued':
      return { type: 'WorkItemUpdated', data: timed(Number(state.units) + 2, state.rate.amount) };
    case 'retitled':
      return { type: 'WorkItemUpdated', data: { title: `${state.title}, by telephone` } };
    case 'finalised':
      return finalised(WorkItem, state) as WorkItemEvent;
    case 'written off': {
      const amount = text(decimal(state.total).div(4).toDecimalPlaces(2));
      const units = text(decimal(state.units).div(4));
      const day = state.entryDay;
      const data = { day, amount, units, reason: 'Goodwill' };
      return {
        type: 'WorkItemWrittenOff',
        data: { ...data, movement: movement(WorkItem, state, day, { amount, units }) },
      };
    }
  }
}

/** Timed work in units of six minutes. */
function timed(units: number, rate: string) {
  const total = text(decimal(rate).mul(units).div(10).toDecimalPlaces(2));
  return { units: String(units), durationTicks: units * 6 * 60 * 10_000_000, total };
}

function titleOf(index: number): string {
  const words = [DONE, THINGS, FOR].map((list, place) => list[(index * (place + 1)) % list.length]);
  return `${words.join(' ')} (${1 + (index % 97)} pages)`;
}
