import { feeAnalysisDerived } from '#practice/work-items/fee-analysis.facts';
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

const flows: [name: string, column: string, description: string][] = [
  ['workItemFinalised', 'finalised', 'finalised, minus what was unfinalised'],
  ['workItemBilled', 'billed', 'billed, minus what was reversed'],
  [
    'workItemWrittenOff',
    'written_off',
    'written off, also by billing below the value of the work, minus what was reversed',
  ],
  [
    'workItemWrittenUp',
    'written_up',
    'written up by billing above the value of the work, minus what was reversed',
  ],
];

const measures = flows.flatMap(([name, column, description]): Column[] => [
  {
    name,
    type: 'decimal',
    description: `Value ${description}.`,
    source: `f.${column}`,
    measure: money(column),
  },
  {
    name: `${name}Units`,
    type: 'decimal',
    description: `Units ${description}.`,
    source: `f.${column}_units`,
    measure: additive(`${column}_units`),
  },
]);

const realisation = (billed: string, writtenOff: string, writtenUp: string) =>
  `round(${billed} * 1.00000000000000000000 / nullif(${billed} + ${writtenOff} - ${writtenUp}, 0), 10)`;

const columns: Column[] = [
  {
    name: 'feeEarnerSortName',
    type: 'text',
    isSelective: true,
    description: 'Name of the fee earner, family name first.',
    source: 'ep.sort_name',
    joins: ['ep'],
  },
  {
    name: 'feeEarnerId',
    type: 'id',
    isSelective: true,
    isUnique: 'ever',
    description: 'The fee earner.',
    source: 'f.employee_id',
    of: 'employee_id',
    required: true,
  },
  ...measures,
  {
    name: 'realisationRate',
    type: 'decimal',
    description:
      'Billed ÷ (billed + written off − written up), computed from the sums of the group; null when the divisor is 0. ' +
      'With `avg`, it is the same.',
    source: realisation('f.billed', 'f.written_off', 'f.written_up'),
    measure: {
      aggFuncs: ['avg', 'min', 'max', 'count'],
      perCurrency: true,
      ratio: { of: ['workItemBilled', 'workItemWrittenOff', 'workItemWrittenUp'], sql: realisation },
    },
  },
  {
    name: 'matterNumber',
    type: 'text',
    isSelective: true,
    isUnique: 'now',
    description: 'Number of the matter.',
    source: 'm.matter_number',
    joins: ['m'],
  },
  matterTitleColumn,
  clientNameColumn,
  divisionNameColumn,
  matterTypeColumn,
  taskTypeColumn,
  {
    name: 'currency',
    type: 'text',
    description: 'Currency of the amounts.',
    source: 'f.currency',
    of: 'currency',
  },
  ...dayColumns('f', 'day', {
    day: 'day',
    month: 'month',
    quarter: 'quarter',
    year: 'year',
    financialYear: 'financialYear',
  }),
];

export const feeAnalysisReport: Report = {
  name: 'fee_analysis',
  projection: 'fee-analysis',
  alias: 'f',
  key: ['id', 'part'],
  joins: recordJoins('f'),
  columns: columnsByName(columns),
  derived: feeAnalysisDerived,
  fromDay: (day, down) => [`f.day ${down ? '<=' : '>='} ${day}`],
};
