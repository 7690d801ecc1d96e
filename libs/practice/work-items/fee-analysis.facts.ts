import type { Derived } from '#projections/projection';

export const feeMeasures = ['finalised', 'billed', 'written_off', 'written_up'] as const;

/**
 * The rollup of fee analysis. Its facts need no narrower fact table, because they are narrow already.
 * @see reporting.md: Physical design
 */
export const feeAnalysisDerived: Derived = {
  rollup: {
    name: 'fee_analysis_rollups',
    counts: () => 'true',
    day: 'day',
    dimensions: {
      all: { columns: [], grains: ['day', 'month', 'year'] },
      employee: { columns: ['employee_id'], grains: ['month', 'year'] },
      matter: { columns: ['matter_id'], grains: ['month', 'year'] },
      taskType: { columns: ['task_type_id'], grains: ['month', 'year'] },
    },
    required: ['employee_id'],
    splits: { currency: 'text' },
    sums: feeMeasures.flatMap((name) => [name, `${name}_units`]),
  },
};
