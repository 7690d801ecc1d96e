import { Client } from 'pg';
import type { LineKind } from '#practice/invoices/invoice.events';
import { totalsOf } from '#practice/invoices/invoice.totals';
import { requireRates } from '#practice/tax-codes/tax-code.rates';
import { ItemType } from '#practice/work-items/work-item.events';
import { priceWorkItem } from '#practice/work-items/work-item.value';
import { createTestDatabase, type TestDatabase } from '../database';
import { exact, money } from './exact';
import type { Firm } from './firm';
import { percentOn, taxRatesOf } from './reference-rows';
import { AMOUNT, LINES } from './testing/rules';
import { writeFirm } from './write-firm';

interface ItemRow {
  type: string;
  ticks: string | null;
  units: string | null;
  rate: string;
}

interface InvoiceRow {
  total: string;
  day: string;
  lines: { id: number; kind: LineKind; amount: string; code: string | null }[];
}

describe('a generated firm, calculated by the domain', () => {
  let database: TestDatabase;
  let client: Client;
  let firm: Firm;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client(database.url);
    await client.connect();
    firm = await writeFirm(client, { items: 1_000, seed: 5 });
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('has the same value of work', async () => {
    const { rows } = await client.query<ItemRow>(
      `select "ItemType" as type, "DurationTicks" as ticks, "Units" as units, "Rate" as rate from etl."WorkItem"`,
    );
    const total = rows.reduce((sum, { type, ticks, units, rate }) => {
      const { total: value } = priceWorkItem({
        itemType: ItemType[type as keyof typeof ItemType],
        durationTicks: Number(ticks ?? 0),
        units,
        minutesPerUnit: '6',
        rounding: 'Up',
        rate: { amount: rate, currency: 'GBP' },
      });
      return sum.add(value);
    }, exact(0));
    expect({ count: rows.length, amount: money(total) }).toEqual(firm.work.total);
  });

  it('has the same totals of invoices', async () => {
    const { rows } = await client.query<InvoiceRow>(
      `select round(i."Total", 2)::text as total, i."IssueDate"::text as day, json_agg(json_build_object(
         'id', 0, 'kind', l."Kind", 'amount', (${AMOUNT})::text, 'code', l."TaxCodeId")) as lines
       from ${LINES} where i."Total" is not null and i."IssueDate" is not null group by i."ImportId", 1, 2`,
    );
    expect(rows.length).toBeGreaterThan(50);
    const rates = taxRatesOf('uk');
    for (const { total, day, lines } of rows) {
      const codes = [...new Set(lines.map(({ code }) => code ?? 'TAX-1'))];
      const taxation = {
        defaultTaxCodeId: 'TAX-1',
        rates: codes.map((taxCodeId) => ({ taxCodeId, percent: percentOn(rates, taxCodeId, day) })),
      };
      const own = lines.map(({ code, ...line }) => ({
        ...line,
        sourceId: null,
        description: null,
        units: null,
        rate: null,
        taxCodeId: code,
      }));
      expect(exact(totalsOf(own, taxation, 'GBP').total).toFixed(2)).toBe(total);
    }
  });

  it.each(['uk', 'au'] as const)('has valid rates of tax codes in %s', (region) => {
    for (const [code, rates] of Object.entries(taxRatesOf(region)))
      expect(() =>
        requireRates({ code, name: code, scheme: 'VAT', category: 'Standard', rates: [...rates] }),
      ).not.toThrow();
  });
});
