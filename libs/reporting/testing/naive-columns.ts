export type NaiveType = 'text' | 'name' | 'id' | 'boolean' | 'integer' | 'decimal' | 'day' | 'instant';

export interface NaiveColumn {
  name: string;
  /** A `name` is a text that sorts as people sort names: `de Souza` before `Zimmer`, 2 before 10. */
  type: NaiveType;
  measure: boolean;
  /** Whether amounts are in the currency of their row. */
  money: boolean;
  aggFuncs: string[];
  choices: string[] | null;
}

/** A report as reporting.md specifies it: columns by name, and the measures of a ratio by the ratio's name. */
export interface NaiveReport {
  name: 'work_item_listing' | 'fee_analysis';
  columns: Map<string, NaiveColumn>;
  ratios: Record<string, string[]>;
}

const every = ['sum', 'avg', 'min', 'max', 'count'];
const unsummed = ['avg', 'min', 'max', 'count'];
const ordered = ['min', 'max', 'count', 'countDistinct'];
const plain = ['count', 'countDistinct'];

export const STATES = ['Pending', 'Finalised', 'Billed', 'WrittenOff'];
export const ITEM_TYPES = ['Timed Fee', 'Itemised Fee'];
const choices: Record<string, string[]> = { state: STATES, itemType: ITEM_TYPES };

function columns(
  dimensions: Partial<Record<NaiveType, string>>,
  measures: Partial<Record<'counted' | 'decimal' | 'money' | 'rate', string>>,
): Map<string, NaiveColumn> {
  const all: NaiveColumn[] = [];
  for (const [type, names] of Object.entries(dimensions) as [NaiveType, string][]) {
    const aggFuncs = ['integer', 'day', 'instant'].includes(type) ? ordered : plain;
    for (const name of names.split(' '))
      all.push({ name, type, measure: false, money: false, aggFuncs, choices: choices[name] ?? null });
  }
  for (const [kind, names] of Object.entries(measures)) {
    const type = kind === 'counted' ? 'integer' : 'decimal';
    const aggFuncs = kind === 'rate' ? unsummed : every;
    const money = kind === 'money' || kind === 'rate';
    for (const name of names.split(' '))
      all.push({ name, type, measure: true, money, aggFuncs, choices: null });
  }
  return new Map(all.map((column) => [column.name, column]));
}

const naiveWorkItems: NaiveReport = {
  name: 'work_item_listing',
  columns: columns(
    {
      id: 'id matterId employeeId clientId divisionId',
      instant: 'entryDate createdOn',
      day: 'entryDay',
      integer: 'entryYear',
      name: 'matterNumber matterTitle clientSortName divisionName matterTypeName employeeSortName taskTypeName taskTypeCode invoiceNumber title',
      text: 'entryMonth entryQuarter entryFinancialYear state itemType currency',
      boolean: 'isBillable isDeleted',
    },
    {
      counted: 'durationTicks',
      decimal: 'units unitDuration totalBase',
      money: 'total remaining',
      rate: 'rate',
    },
  ),
  ratios: {},
};

const flows = ['Finalised', 'Billed', 'WrittenOff', 'WrittenUp'].map((name) => `workItem${name}`);

const naiveFeeAnalysis: NaiveReport = {
  name: 'fee_analysis',
  columns: columns(
    {
      id: 'feeEarnerId',
      day: 'day',
      integer: 'year',
      name: 'feeEarnerSortName matterNumber matterTitle clientSortName divisionName matterTypeName taskTypeName',
      text: 'month quarter financialYear currency',
    },
    {
      decimal: flows.map((name) => `${name}Units`).join(' '),
      money: flows.join(' '),
      rate: 'realisationRate',
    },
  ),
  ratios: { realisationRate: ['workItemBilled', 'workItemWrittenOff', 'workItemWrittenUp'] },
};

export const naiveReports: NaiveReport[] = [naiveWorkItems, naiveFeeAnalysis];
