import { additive, type Column, money } from '../columns/column';
import { columnsByName, type Report } from '../columns/report';
import {
  clientJoins,
  dayColumns,
  divisionJoin,
  employeeJoins,
  matterJoin,
  matterTypeColumn,
  matterTypeJoin,
  taskTypeColumn,
  taskTypeJoin,
} from '../columns/shared';

export const workItemStates = ['Pending', 'Finalised', 'Billed', 'WrittenOff'];
export const workItemTypes = ['Timed Fee', 'Itemised Fee'];

/** The text of a small integer that counts from 0. */
const named = (sql: string, names: readonly string[]) =>
  `(array[${names.map((name) => `'${name}'`).join(', ')}])[${sql} + 1]`;

const columns: Column[] = [
  { name: 'id', type: 'id', description: 'The work item.', source: 'w.id', required: true },
  {
    name: 'entryDate',
    type: 'instant',
    description: 'When the work was done.',
    source: 'w.entry_date',
    required: true,
  },
  ...dayColumns('w.entry_day', {
    day: 'entryDay',
    month: 'entryMonth',
    quarter: 'entryQuarter',
    year: 'entryYear',
    financialYear: 'entryFinancialYear',
  }),
  {
    name: 'matterNumber',
    type: 'text',
    description: 'Number of the matter; null for work on no matter.',
    source: 'm.matter_number',
    joins: ['m'],
  },
  { name: 'matterTitle', type: 'text', description: 'Title of the matter.', source: 'm.title', joins: ['m'] },
  { name: 'matterId', type: 'id', description: 'The matter.', source: 'w.matter_id' },
  {
    name: 'clientSortName',
    type: 'text',
    description: "Name of the matter's client, family name first.",
    source: 'cp.sort_name',
    joins: ['cp'],
  },
  {
    name: 'clientId',
    type: 'id',
    description: "The matter's client.",
    source: 'm.client_id',
    joins: ['m'],
  },
  {
    name: 'divisionName',
    type: 'text',
    description: "Name of the matter's division.",
    source: 'd.name',
    joins: ['d'],
  },
  {
    name: 'divisionId',
    type: 'id',
    description: "The matter's division.",
    source: 'm.division_id',
    joins: ['m'],
  },
  matterTypeColumn,
  {
    name: 'employeeSortName',
    type: 'text',
    description: 'Name of the employee who did the work, family name first.',
    source: 'ep.sort_name',
    joins: ['ep'],
  },
  { name: 'employeeId', type: 'id', description: 'The employee.', source: 'w.employee_id', required: true },
  {
    name: 'state',
    type: 'text',
    description: `One of ${workItemStates.join(', ')}.`,
    source: named('w.item_state', workItemStates),
    choices: workItemStates,
  },
  {
    name: 'itemType',
    type: 'text',
    description: `One of ${workItemTypes.join(', ')}.`,
    source: named('w.item_type', workItemTypes),
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
      'Number of the invoice that charges the item, or of the draft that holds it; null while that was never issued.',
    source: 'i.number',
    joins: ['i'],
  },
  { name: 'title', type: 'text', description: 'What was done.', source: 'w.title' },
  {
    name: 'currency',
    type: 'text',
    description: 'Currency of rate, total and remaining.',
    source: 'w.currency',
  },
  {
    name: 'rate',
    type: 'decimal',
    description: 'Rate for an hour, or for a unit of an itemised fee, up to 10 decimals.',
    source: 'w.rate',
    measure: { aggFuncs: ['avg', 'min', 'max', 'count'], perCurrency: true },
  },
  { name: 'units', type: 'decimal', description: 'Units charged.', source: 'w.units', measure: additive },
  {
    name: 'unitDuration',
    type: 'decimal',
    description: 'Hours that the units stand for, 10 decimals.',
    source: 'w.units * w.unit_minutes',
    measure: { ...additive, finish: (minutes) => `round(${minutes} / 60.00000000000000000000, 10)` },
  },
  { name: 'total', type: 'decimal', description: 'Value of the item.', source: 'w.total', measure: money },
  {
    name: 'totalBase',
    type: 'decimal',
    description: "Value of the item in the firm's currency.",
    source: 'w.total_base',
    measure: additive,
  },
  {
    name: 'remaining',
    type: 'decimal',
    description: 'Value that can still be billed: 0 once it is billed or written off.',
    source: 'w.remaining',
    measure: money,
  },
  {
    name: 'durationTicks',
    type: 'integer',
    description: 'Time recorded; 36,000,000,000 ticks are an hour.',
    source: 'w.duration_ticks',
    measure: additive,
  },
  {
    name: 'isBillable',
    type: 'boolean',
    description: 'Whether the work can be billed.',
    source: 'w.is_billable',
  },
  {
    name: 'isDeleted',
    type: 'boolean',
    description: 'Whether the item was deleted.',
    source: 'w.is_deleted',
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
  table: 'work_items',
  projection: 'work-items',
  alias: 'w',
  key: ['id'],
  joins: [
    ...employeeJoins('w.employee_id'),
    matterJoin('w.matter_id'),
    ...clientJoins,
    divisionJoin,
    matterTypeJoin,
    taskTypeJoin('w.task_type_id'),
    { alias: 'i', table: 'invoices', projection: 'invoices', on: 'i.id = w.invoice_id' },
  ],
  columns: columnsByName(columns),
};
