import { endOfDay, startOfDay } from '#kernel/periods';
import type { Day } from '#kernel/zone';
import { entered, ownAsk, unpivoted } from './reports-own-asks';
import { peerGroups, peerPage, peerTotals } from './reports-peer-asks';
import type { Ask } from './side';

/** A question to both sides, and how the values of a row are compared. */
export interface Question {
  name: string;
  ours: Ask;
  theirs: Ask;
  values: readonly ValueKind[];
}

export type ValueKind = 'id' | 'instant' | 'number' | 'text';

/** What the questions are about. */
export interface Subject {
  /** A complete year of the firm. */
  year: number;
  zone: string;
  /** Sort name of a fee earner. */
  employee: string;
  /** A row in the middle of all items. */
  middle: number;
}

const LISTING: Record<string, ValueKind> = {
  id: 'id',
  entryDate: 'instant',
  matterNumber: 'text',
  matterId: 'id',
  employeeSortName: 'text',
  employeeId: 'id',
  state: 'text',
  itemType: 'text',
  taskTypeName: 'text',
  title: 'text',
  rate: 'number',
  units: 'number',
  unitDuration: 'number',
  totalBase: 'number',
  durationTicks: 'number',
};
const PAGE = 50;
const SUMS = ['totalBase', 'units'];
const OWN_SUMS = SUMS.map((name) => `${name}:sum`);
const NEWEST_FIRST = [{ colId: 'entryDate', desc: true }];
const GREATEST_FIRST = [{ colId: 'totalBase', desc: true }];
/** Greater than the number of a firm's fee earners, and of a fee earner's matters. */
const ALL = 10_000;

interface Days {
  criteria: object;
  filter?: object;
}

/** Every question, as a slice for this service and in the peer's own terms. */
export function questionsOf(subject: Subject): Question[] {
  const year = daysOf(subject);
  const always: Days = { criteria: {} };
  return [
    page('page', 0, year),
    byEmployee('by employee', year),
    byEmployee('by employee, all', always),
    totals('totals', year),
    totals('totals, all', always),
    topMatters('top matters', year),
    page('deep page', subject.middle, always),
    drillDown('drill-down', subject),
    pairs('pairs', year),
    pairs('pairs, all', always),
    byMonth('by month and state'),
  ];
}

function daysOf({ year, zone }: Subject): Days {
  const [min, max]: Day[] = [`${year}-01-01`, `${year}-12-31`];
  const within = { greaterThanOrEqualTo: startOfDay(zone, min), lessThan: endOfDay(zone, max) };
  return { criteria: entered({ min, max }), filter: { entryDate: within } };
}

function page(name: string, offset: number, { criteria, filter }: Days): Question {
  const cols = Object.keys(LISTING);
  const rest = { startRow: offset, endRow: offset + PAGE, sortBy: NEWEST_FIRST };
  return {
    name,
    ours: ownAsk('work_item_listing', { cols, criteria, rest }),
    theirs: peerPage(cols, { first: PAGE, offset }, filter),
    values: Object.values(LISTING),
  };
}

function byEmployee(name: string, { criteria, filter }: Days): Question {
  const cols = ['employeeSortName', ...OWN_SUMS];
  const rest = { rowGroups: [{ colId: 'employeeSortName' }], sortBy: GREATEST_FIRST, endRow: ALL };
  return {
    name,
    ours: ownAsk('work_item_listing', { cols, criteria, rest }),
    theirs: peerGroups(['EMPLOYEE_SORT_NAME'], SUMS, { filter, order: 'sum' }),
    values: ['text', 'number', 'number'],
  };
}

function totals(name: string, { criteria, filter }: Days): Question {
  return {
    name,
    ours: ownAsk('work_item_listing', { cols: OWN_SUMS, criteria, rest: { totalsOnly: true } }),
    theirs: peerTotals(SUMS, filter),
    values: ['number', 'number'],
  };
}

function topMatters(name: string, { criteria, filter }: Days): Question {
  const cols = ['matterNumber', ...OWN_SUMS];
  const rest = { rowGroups: [{ colId: 'matterNumber' }], sortBy: GREATEST_FIRST, endRow: PAGE };
  return {
    name,
    ours: ownAsk('work_item_listing', { cols, criteria, rest }),
    theirs: peerGroups(['MATTER_NUMBER'], SUMS, { filter, order: 'sum', limit: PAGE }),
    values: ['text', 'number', 'number'],
  };
}

/** The matters of one fee earner. */
function drillDown(name: string, { employee }: Subject): Question {
  const rest = {
    rowGroups: [{ colId: 'employeeSortName' }, { colId: 'matterNumber' }],
    groupKeys: [employee],
    sortBy: GREATEST_FIRST,
    endRow: ALL,
  };
  const filter = { employeeSortName: { equalTo: employee } };
  return {
    name,
    ours: ownAsk('work_item_listing', { cols: ['matterNumber', ...OWN_SUMS], rest }),
    theirs: peerGroups(['MATTER_NUMBER'], SUMS, { filter, order: 'sum' }),
    values: ['text', 'number', 'number'],
  };
}

/** Fee earner × matter, for which a summary of one dimension is not enough. */
function pairs(name: string, { criteria, filter }: Days): Question {
  const cols = ['employeeSortName', 'matterNumber', ...OWN_SUMS];
  const rest = { groupLeafLevel: true, sortBy: GREATEST_FIRST, endRow: 100 };
  const keys = ['EMPLOYEE_SORT_NAME', 'MATTER_NUMBER'];
  return {
    name,
    ours: ownAsk('work_item_listing', { cols, criteria, rest }),
    theirs: peerGroups(keys, SUMS, { filter, order: 'sum', limit: 100 }),
    values: ['text', 'text', 'number', 'number'],
  };
}

/** The peer has no pivots: its caller gets a row for each month and state. */
function byMonth(name: string): Question {
  const [sum] = SUMS;
  const rest = {
    rowGroups: [{ colId: 'entryMonth' }],
    pivots: [{ colId: 'state' }],
    sortBy: [{ colId: 'entryMonth', desc: false }],
    endRow: ALL,
  };
  const rows = unpivoted('entryMonth', sum);
  return {
    name,
    ours: ownAsk('work_item_listing', { cols: [`${sum}:sum`], rest, rows }),
    theirs: peerGroups(['ENTRY_MONTH', 'STATE'], [sum], { order: 'keys' }),
    values: ['text', 'text', 'number'],
  };
}
