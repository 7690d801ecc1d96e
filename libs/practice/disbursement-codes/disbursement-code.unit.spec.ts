import { given } from '#kernel/testing/given';
import { Activity } from '../records/activity';
import { remove, update } from '../records/simple-record';
import { DisbursementCode } from './disbursement-code';

const taxCodeId = 'taxcode_0190f000000070008000000000000001';
const supplierId = 'supplier_0190f000000070008000000000000002';
const created = {
  type: 'DisbursementCodeCreated',
  data: {
    code: 'SEARCH',
    name: 'Search',
    kind: null,
    taxCodeId,
    unitAmount: null,
    description: null,
    supplierId: null,
    expenseCode: null,
    externalReference: null,
    referenceOwner: null,
  },
};

describe('a disbursement code', () => {
  it('is active at first, holds its code and refers to its tax code', () => {
    const { state } = given(DisbursementCode, [created]);
    expect(state).toMatchObject({ state: Activity.Active, isDeleted: false });
    expect(DisbursementCode.keys(state!)).toEqual([{ kind: 'disbursement_code', key: 'SEARCH' }]);
    expect(DisbursementCode.links(state!)).toEqual([{ kind: 'disbursementcode_taxcode', target: taxCodeId }]);
  });

  it('refers to its supplier while it has one', () => {
    const [bought] = update(DisbursementCode, { supplierId });
    const { state } = given(DisbursementCode, [created, bought]);
    expect(DisbursementCode.links(state!)).toContainEqual({
      kind: 'disbursementcode_supplier',
      target: supplierId,
    });
    const [not] = update(DisbursementCode, { supplierId: null });
    expect(DisbursementCode.links(given(DisbursementCode, [created, bought, not]).state!)).toHaveLength(1);
  });

  it('refers to nothing and frees its code when it is deleted', () => {
    const { state } = given(DisbursementCode, [created, { type: 'DisbursementCodeDeleted', data: {} }]);
    expect(DisbursementCode.links(state!)).toEqual([]);
    expect(DisbursementCode.keys(state!)).toEqual([]);
  });

  it('cannot be deleted while something refers to it', () => {
    given(DisbursementCode, [created])
      .when(() => remove(DisbursementCode, 1))
      .thenRefused('in_use');
  });
});
