import { printSdl } from './schema';

describe('the schema', () => {
  it('is printed without a database, with the names that clients declare', async () => {
    const sdl = await printSdl();
    expect(sdl).toContain(
      'work_item_listing(criteria: WorkItemCriteriaInput, slice: AggregationSliceSpecInput): [WorkItemRow!]',
    );
    expect(sdl).toContain(
      'fee_analysis(criteria: FeeAnalysisFactCriteriaInput, slice: AggregationSliceSpecInput): [FeeAnalysisRow!]',
    );
    expect(sdl).toContain('scalar Date');
    expect(sdl).toContain('groupKeys: [GroupKey]');
  });

  it('documents every column', async () => {
    const sdl = await printSdl();
    expect(sdl).toContain(
      '- `unitDuration` (decimal; sum, avg, min, max, count): Length of the units in hours, with 10 decimals.',
    );
    expect(sdl).toContain('- `feeEarnerSortName` (text; count, countDistinct)');
  });
});
