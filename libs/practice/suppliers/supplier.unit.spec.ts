import { given } from '#kernel/testing/given';
import { Activity } from '../records/activity';
import { activate, deactivate, remove, update } from '../records/simple-record';
import { Supplier } from './supplier';

const entityId = 'entity_0190f000000070008000000000000001';
const taxCodeId = 'taxcode_0190f000000070008000000000000002';
const defaultDisbursementCodeId = 'disbursementcode_0190f000000070008000000000000003';
const created = {
  type: 'SupplierCreated',
  data: {
    entityId,
    taxCodeId: null,
    defaultDisbursementCodeId: null,
    paymentTermsDays: null,
    externalReference: null,
    referenceOwner: null,
  },
};
const deleted = { type: 'SupplierDeleted', data: {} };
const [priced] = update(Supplier, { taxCodeId, defaultDisbursementCodeId });

describe('a supplier', () => {
  it('is active at first, and the only one of its entity', () => {
    const { state } = given(Supplier, [created]);
    expect(state).toMatchObject({ state: Activity.Active, isDeleted: false });
    expect(Supplier.keys(state!)).toEqual([{ kind: 'entity_supplier', key: entityId }]);
    expect(Supplier.links(state!)).toEqual([{ kind: 'supplier_entity', target: entityId }]);
  });

  it('refers to its tax code and its default disbursement code', () => {
    const targets = Supplier.links(given(Supplier, [created, priced]).state!).map(({ target }) => target);
    expect(targets).toEqual([entityId, taxCodeId, defaultDisbursementCodeId]);
  });

  it('refers to nothing and frees its entity when it is deleted', () => {
    const { state } = given(Supplier, [created, priced, deleted]);
    expect([...Supplier.links(state!), ...Supplier.keys(state!)]).toEqual([]);
  });

  it('can be deactivated and activated again, and a second deactivation makes no event', () => {
    const [off] = deactivate(Supplier, given(Supplier, [created]).state!);
    given(Supplier, [created, off])
      .when((state) => deactivate(Supplier, state))
      .thenEvents([]);
    given(Supplier, [created, off])
      .when((state) => activate(Supplier, state))
      .thenEvents([{ type: 'SupplierActivated', data: {} }]);
  });

  it('cannot be deleted while something refers to it', () => {
    given(Supplier, [created])
      .when(() => remove(Supplier, 1))
      .thenRefused('in_use');
  });
});
