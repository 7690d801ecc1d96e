import * as fc from 'fast-check';
import { at } from '#event-store/load';
import { toId } from '#kernel/ids';
import { decimal, text } from '#kernel/money';
import type { RegisteredTenant } from '#platform/auth/tenants';
import { Tenant } from '#practice/tenants/tenant';
import { ItemType } from '#practice/work-items/work-item.events';
import { priceWorkItem } from '#practice/work-items/work-item.value';
import { type Imports, openImports } from '../testing/import-parts';
import { checkedRowsOf } from './testing/validation-of';

/** Ticks around the limits of units, and any ticks. */
const ticks = fc.oneof(
  fc.integer({ min: 0, max: 40 }).map((units) => units * 3_600_000_000),
  fc.integer({ min: 0, max: 400 }).map((tenths) => tenths * 360_000_000 + 1),
  fc.integer({ min: 0, max: 100_000_000_000_000 }),
);
const scaled = (max: number, places: number) =>
  fc.integer({ min: 0, max }).map((number) => text(decimal(number).div(decimal(10).pow(places))));
const item = fc.record({
  isTimed: fc.boolean(),
  ticks,
  units: fc.option(scaled(400_000, 4)),
  // Roundings can differ at halves of a penny, which multiples of three pence often yield.
  rate: fc.oneof(
    scaled(99_999, 0),
    fc.nat(99_999).map((thirds) => text(decimal(thirds).mul('0.03'))),
    scaled(9_999_900, 3),
    scaled(999_990_000, 10),
  ),
});

describe('the value of work in SQL', () => {
  let imports: Imports;

  beforeAll(async () => {
    imports = await openImports('uk');
  });
  afterAll(() => imports.close());

  async function set({ streamId }: RegisteredTenant, changes: object): Promise<void> {
    await imports.store.store.execute(imports.production, async (work) => {
      const { tenant } = await work.load({ tenant: at(Tenant, toId('tenant', streamId)) });
      return work.change(Tenant, tenant!, [{ type: 'TenantSettingsChanged', data: changes }]);
    });
  }

  it.each([
    ['6', 'Up'],
    ['7', 'Nearest'],
    ['10', 'Up'],
    ['12.5', 'Down'],
    ['0.0007', 'Nearest'],
    ['60', 'Up'],
  ] as const)(
    'is what a command would calculate, with units of %s minutes rounded %s',
    async (minutesPerUnit, unitRounding) => {
      await set(imports.tenant, { minutesPerUnit, unitRounding });
      const items = fc.sample(item, { numRuns: 2_000, seed: 7 });
      const run = await imports.run();
      await imports.finish(run);
      await run.staging.create(imports.client);
      await imports.client.query(
        `insert into ${run.staging.table('WorkItem')}
         ("ImportId", "ItemType", "DurationTicks", "Units", "Rate", "IsBillable", "State")
       select n::text, t, d, u, r, '1', 'Pending' from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[]) i(n, t, d, u, r)`,
        [
          items.map((_, index) => index),
          items.map(({ isTimed }) => (isTimed ? 'Timed' : 'Itemised')),
          items.map((one) => String(one.ticks)),
          items.map(({ units }) => units),
          items.map(({ rate }) => rate),
        ],
      );
      const rows = await checkedRowsOf(imports).session(run, async (session) => {
        await checkedRowsOf(imports).make(session, run);
        const { rows } = await session.query<{ n: number; units: string; amount: string }>(
          'select import_id::int as n, trim_scale(units)::text as units, trim_scale(amount)::text as amount from work_values order by 1',
        );
        return rows;
      });
      expect(rows).toEqual(
        items.map(({ isTimed, ticks: durationTicks, units, rate }, n) => {
          const itemType = isTimed ? ItemType.Timed : ItemType.Itemised;
          const basis = { itemType, durationTicks, units, minutesPerUnit, rounding: unitRounding };
          const priced = priceWorkItem({ ...basis, rate: { amount: rate, currency: 'GBP' } });
          return { n, units: priced.units, amount: priced.total };
        }),
      );
    },
  );
});
