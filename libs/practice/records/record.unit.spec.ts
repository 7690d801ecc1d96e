import { changesOf } from './record';

describe('the changes of a patch', () => {
  class Rate {
    constructor(
      readonly percent: string,
      readonly from: string,
    ) {}
  }
  // Events are jsonb, so a state that is folded from them again has the members of its values in another order.
  const state = { name: 'Standard', rates: [{ from: '2011-01-04', percent: '20' }] };

  it('are none for values that the record has, in whatever order their members are', () => {
    expect(changesOf(state, { name: 'Standard', rates: [new Rate('20', '2011-01-04')] })).toEqual({});
  });

  it('are the fields that have other values, and those that the record lacks', () => {
    const rates = [new Rate('5', '2011-01-04')];
    expect(changesOf<object>(state, { name: 'Standard', rates, code: 'STD', scheme: undefined })).toEqual({
      rates,
      code: 'STD',
    });
  });
});
