import type { NewStream } from '#event-store/append/append-bulk';
import { newId } from '#kernel/ids';
import { newTenant, Tenant } from '../tenants/tenant';
import { DemoFirm } from './demo-firm';
import { type DemoOptions, sizeOf } from './demo-size';
import type { Start } from './demo-start';

const NOW = new Date('2026-11-20T21:00:00.000Z');

function startOf(region: 'uk' | 'au'): Start {
  const settings = Tenant.evolve(undefined, newTenant('Firm', region)[0]);
  const audit = { createdOn: '', createdBy: '', updatedOn: '', updatedBy: '' };
  const named = { isDeleted: false, externalReference: null, referenceOwner: null, name: 'Made' };
  const rates = [{ percent: '20', from: '2000-01-01', to: null }];
  const code = { code: 'STD', scheme: settings.taxScheme, category: 'Standard' as const, rates };
  return {
    settings,
    division: {
      id: newId('division'),
      version: 1,
      audit,
      data: { ...named, code: null, isDefault: true, state: 1 },
    },
    activeDivisions: 1,
    numbers: { client: 4, matter: 7, invoice: 9 },
    rateSet: undefined,
    taskTypes: [],
    taxCodes: [{ id: newId('taxcode'), version: 1, audit, data: { ...named, ...code } }],
  };
}

const firmOf = (region: 'uk' | 'au', options: DemoOptions) => [
  ...new DemoFirm(startOf(region), sizeOf(options), NOW).streams(),
];

/** All events of a firm without the ids, which differ each time. */
const story = (streams: NewStream[]) => {
  const told = JSON.stringify(streams.map(({ events, recordedAt }) => [events, recordedAt]));
  return told.replace(/[0-9a-f]{32}/g, '');
};
const ofKind = (streams: NewStream[], kind: string) =>
  streams.filter(({ definition }) => definition.kind === kind);

describe('a demo firm', () => {
  it.each(['uk', 'au'] as const)('is the same for the same seed in %s, different for another', (region) => {
    const size = { items: 400, years: 1 };
    const one = story(firmOf(region, size));
    expect(story(firmOf(region, { ...size, seed: 1 })) === one).toBe(true);
    expect(story(firmOf(region, { ...size, seed: 2 })) === one).toBe(false);
  });

  it.each([1, 13, 777])('has exactly %d items, however many years it has', (items) => {
    for (const years of [1, 20]) {
      const streams = firmOf('uk', { items, years });
      expect(ofKind(streams, 'workitem')).toHaveLength(items);
      expect(ofKind(streams, 'matter')).toHaveLength(sizeOf({ items, years }).matters);
    }
  });

  it('has no two employees with the same initials', () => {
    const employees = ofKind(firmOf('uk', { items: 500, years: 1, feeEarners: 60 }), 'employee');
    const initials = employees.map(({ events }) => (events[0].data as { initials: string }).initials);
    expect(new Set(initials).size).toBe(initials.length);
  });

  it('can be given its numbers of people and matters, and continues the numbers of the tenant', () => {
    const streams = firmOf('uk', { items: 500, years: 3, feeEarners: 2, matters: 40 });
    const employees = ofKind(streams, 'employee').map(({ events }) => events[0].data);
    expect(employees.filter((data) => (data as { isFeeEarner: boolean }).isFeeEarner)).toHaveLength(2);
    const matters = ofKind(streams, 'matter');
    expect(matters.map(({ counters }) => counters)).toEqual(
      matters.map((_, index) => ({ matter_number: 8 + index })),
    );
    expect(matters).toHaveLength(40);
    expect(ofKind(streams, 'client')[0].counters).toEqual({ client_number: 5 });
    const numbered = ofKind(streams, 'invoice').filter(({ counters }) => counters?.invoice_number);
    expect(numbered[0].counters).toEqual({ invoice_number: 10 });
  });

  it('yields a record before the records that refer to it', () => {
    const streams = firmOf('uk', { items: 2_500, years: 2 });
    const order = new Map(streams.map(({ id }, index) => [id as string, index]));
    const references = streams.flatMap(({ events: [first] }, index) => {
      const ids = JSON.stringify(first.data).match(/[a-z]+_[0-9a-f]{32}/g) ?? [];
      return ids.map((id) => ({ id, index }));
    });
    expect(references.filter(({ id, index }) => (order.get(id) ?? 0) > index)).toEqual([]);
    // The division and the tax code are records that the tenant already had.
    const strange = references.filter(({ id }) => !order.has(id)).map(({ id }) => id.split('_')[0]);
    expect(new Set(strange)).toEqual(new Set(['division', 'taxcode']));
  });

  it('needs a tax code for its invoices that is valid from its first day on', () => {
    const bare = { ...startOf('uk'), taxCodes: [] };
    expect(() => new DemoFirm(bare, sizeOf({ items: 10, years: 1 }), NOW)).toThrow(/no tax code.*Standard/);
    const young = startOf('uk');
    young.taxCodes[0].data.rates = [{ percent: '20', from: '2026-01-01', to: null }];
    expect(() => new DemoFirm(young, sizeOf({ items: 10, years: 1 }), NOW)).toThrow(/no rate on 2025/);
  });
});
