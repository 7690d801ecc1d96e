import { endOfDay, startOfDay } from '#kernel/periods';
import { SCALE, workItemDerived } from '#practice/work-items/work-item.facts';
import { additive, type Column, money } from '../columns/column';
import { columnsByName, type Report } from '../columns/report';
import {
  clientNameColumn,
  dayColumns,
  divisionNameColumn,
  matterTitleColumn,
  matterTypeColumn,
  recordJoins,
  taskTypeColumn,
} from '../columns/shared';

export const workItemStates = ['Pending', 'Finalised', 'Billed', 'WrittenOff'];
export const workItemTypes = ['Timed Fee', 'Itemised Fee'];

/** SQL of the name for a small integer that counts from 0. */
const named = (sql: string, names: readonly string[]) =>
  `(array[${names.map((name) => `'${name}'`).join(', ')}])[${sql} + 1]`;

const columns: Column[] = [
  { name: 'id', type: 'id', description: 'The work item.', source: 'w.id', required: true },
  {
    name: 'entryDate',
    type: 'instant',
    description: 'When the work was done.',
    source: 'w.entry_date',
    byDay: true,
    required: true,
  },
  ...dayColumns('w', 'entry_day', {
    day: 'entryDay',
    month: 'entryMonth',
    quarter: 'entryQuarter',
    year: 'entryYear',
    financialYear: 'entryFinancialYear',
  }),
  {
    name: 'matterNumber',
    type: 'text',
    isSelective: true,
    isUnique: 'now',
    description: 'Number of the matter; null for work on no matter.',
    source: 'm.matter_number',
    joins: ['m'],
  },
  matterTitleColumn,
  {
    name: 'matterId',
    type: 'id',
    isSelective: true,
    isUnique: 'ever',
    description: 'The matter.',
    source: 'w.matter_id',
    of: 'matter_id',
  },
  clientNameColumn,
  {
    name: 'clientId',
    type: 'id',
    isSelective: true,
    description: "The matter's client.",
    source: 'm.client_id',
    joins: ['m'],
    by: 'client_id',
  },
  divisionNameColumn,
  {
    name: 'divisionId',
    type: 'id',
    description: "The matter's division.",
    source: 'm.division_id',
    joins: ['m'],
    by: 'division_id',
  },
  matterTypeColumn,
  {
    name: 'employeeSortName',
    type: 'text',
    isSelective: true,
    description: 'Name of the employee who did the work, family name first.',
    source: 'ep.sort_name',
    joins: ['ep'],
  },
  {
    name: 'employeeId',
    type: 'id',
    isSelective: true,
    isUnique: 'ever',
    description: 'The employee.',
    source: 'w.employee_id',
    of: 'employee_id',
    required: true,
  },
  {
    name: 'state',
    type: 'text',
    description: `One of ${workItemStates.join(', ')}.`,
    source: named('w.item_state', workItemStates),
    of: 'item_state',
    choices: workItemStates,
  },
  {
    name: 'itemType',
    type: 'text',
    description: `One of ${workItemTypes.join(', ')}.`,
    source: named('w.item_type', workItemTypes),
    of: 'item_type',
    choices: workItemTypes,
  },
  taskTypeColumn,
  {
    name: 'taskTypeCode',
    type: 'text',
    description: 'Code of the task type.',
    source: 't.code',
    joins: ['t'],
  },
  {
    name: 'invoiceNumber',
    type: 'text',
    description:
      'Number of the invoice that charges the item, or of the draft that has it; null if there is none, or if the ' +
      'draft was never issued.',
    source: 'i.number',
    joins: ['i'],
  },
  {
    name: 'title',
    type: 'text',
    description: 'What was done.',
    // Sorted as names are: letters before their case, numbers by their value.
    source: 'w.title collate read_model.natural_order',
  },
  {
    name: 'currency',
    type: 'text',
    description: 'Currency of rate, total and remaining.',
    source: 'w.currency',
    of: 'currency',
  },
  {
    name: 'rate',
    type: 'decimal',
    description: 'Rate for an hour, or for a unit of an itemised fee, up to 10 decimals.',
    source: 'w.rate',
    measure: { aggFuncs: ['avg', 'min', 'max', 'count'], perCurrency: true },
  },
  {
    name: 'units',
    type: 'decimal',
    description: 'Units charged.',
    source: 'w.units',
    measure: additive('units', SCALE.units),
  },
  {
    name: 'unitDuration',
    type: 'decimal',
    description: 'Length of the units in hours, with 10 decimals.',
    source: 'w.units * w.unit_minutes',
    measure: {
      ...additive('minutes', SCALE.minutes),
      finish: (minutes) => `round(${minutes} / 60.00000000000000000000, 10)`,
    },
  },
  {
    name: 'total',
    type: 'decimal',
    description: 'Value of the item.',
    source: 'w.total',
    measure: money('total', SCALE.total),
  },
  {
    name: 'totalBase',
    type: 'decimal',
    description: "Value of the item in the firm's currency.",
    source: 'w.total_base',
    measure: additive('total_base', SCALE.total_base),
  },
  {
    name: 'remaining',
    type: 'decimal',
    description:
      'Value that has been neither billed nor written off, also of work that is not billable, or on no matter.',
    source: 'w.remaining',
    measure: money('remaining', SCALE.remaining),
  },
  {
    name: 'durationTicks',
    type: 'integer',
    description: 'Time recorded; 36,000,000,000 ticks are an hour.',
    source: 'w.duration_ticks',
    measure: additive('duration_ticks', SCALE.duration_ticks),
  },
  {
    name: 'isBillable',
    type: 'boolean',
    description: 'Whether the work can be billed.',
    source: 'w.is_billable',
    of: 'is_billable',
  },
  {
    name: 'isDeleted',
    type: 'boolean',
    description: 'Whether the item was deleted.',
    source: 'w.is_deleted',
    of: 'is_deleted',
  },
  {
    name: 'createdOn',
    type: 'instant',
    description: 'When the item was recorded.',
    source: 'w.created_on',
    required: true,
  },
];

export const workItemReport: Report = {
  name: 'work_item_listing',
  projection: 'work-items',
  alias: 'w',
  key: ['id'],
  joins: [
    ...recordJoins('w'),
    { alias: 'i', projection: 'invoices', of: 'invoice_id', on: 'i.id = w.invoice_id' },
  ],
  columns: columnsByName(columns),
  derived: workItemDerived,
  // On the instant, which is indexed, rather than on the day. Bound as seconds since 1970, which can express any year.
  within: ({ min, max }, zone, bind) => {
    const at = (instant: Date) => `to_timestamp(${bind(instant.getTime() / 1000)})`;
    return [
      ...(min ? [`w.entry_date >= ${at(startOfDay(zone, min))}`] : []),
      ...(max ? [`w.entry_date < ${at(endOfDay(zone, max))}`] : []),
    ];
  },
  // A local day begins and ends less than a day before or after the UTC day: the index by instant narrows the rows, the
  // day decides.
  fromDay: (day, down) => [
    `w.entry_day ${down ? '<=' : '>='} ${day}`,
    down
      ? `w.entry_date < (${day} + 2)::timestamp at time zone 'UTC'`
      : `w.entry_date >= (${day} - 1)::timestamp at time zone 'UTC'`,
  ],
};
