import { derivedOf } from '#event-store/streams/testing/derived';
import { decimal, roundMoney, text } from '#kernel/money';
import { dayIn } from '#kernel/zone';
import type { RequestContext } from '#platform/request-context';
import { derive } from '#projections/rebuild/derive';
import { generationTable } from '#projections/rebuild/generation-tables';
import { BillableStatus } from '../billable/billable';
import type { CostRecoveryState } from '../cost-recoveries/cost-recovery';
import { type InvoiceState, InvoiceStatus } from '../invoices/invoice';
import { type MatterState, MatterStatus } from '../matters/matter';
import type { TaxCodeState } from '../tax-codes/tax-code';
import { type Demo, openDemo } from '../testing/demo-parts';
import type { WorkItemState } from '../work-items/work-item';
import { workItemsProjection } from '../work-items/work-item.projection';

/** On this Friday the day's work is over in London; in Sydney it is already Saturday. */
const NOW = new Date('2026-11-20T21:00:00.000Z');

const BLOCK_BYTES = 8_192;

function sumOf(parts: readonly { amount: Parameters<typeof decimal>[0] }[]) {
  return parts.reduce((sum, { amount }) => sum.add(amount), decimal(0));
}

describe.each([
  {
    region: 'uk',
    zone: 'Europe/London',
    settings: { unitRounding: 'Up', autoFinaliseWorkItems: 'true' },
    items: 1_500,
    taxPercent: 20,
  },
  {
    region: 'au',
    zone: 'Australia/Sydney',
    settings: { unitRounding: 'Nearest', autoFinaliseWorkItems: 'false' },
    items: 500,
    taxPercent: 10,
  },
] as const)('a firm of $items items in $region', ({ region, zone, settings, items, taxPercent }) => {
  let demo: Demo;
  let context: RequestContext;
  let loaded: Awaited<ReturnType<Demo['load']['load']>>;
  let told: number[];

  beforeAll(async () => {
    demo = await openDemo(region, NOW);
    context = await demo.tenant('demo');
    await demo.setup.set('demo', { ...settings });
    told = [];
    loaded = await demo.load.load('demo', { items, years: 2 }, (done) => told.push(done));
    await demo.project();
  });
  afterAll(() => demo.close());

  /** Every record of a kind as commands find it, with its id. */
  async function states<State>(kind: string): Promise<({ id: string } & State)[]> {
    const rows = await demo.sql<{ id: string; data: State }>(
      `select kind || '_' || replace(stream_id::text, '-', '') as id, state -> 'data' as data
       from event_store.streams where tenant_id = $1 and kind = $2 order by stream_id`,
      [context.tenant.id, kind],
    );
    return rows.map(({ id, data }) => ({ id, ...data }));
  }
  const works = () => states<WorkItemState>('workitem');
  const invoices = () => states<InvoiceState>('invoice');

  it('has the records that were asked for, and reported its progress', async () => {
    const found = await demo.sql<{ kind: string; count: number }>(
      'select kind, count(*)::int from event_store.streams where tenant_id = $1 group by 1',
      [context.tenant.id],
    );
    const counts = Object.fromEntries(found.map(({ kind, count }) => [kind, count]));
    expect(counts).toMatchObject({
      workitem: items,
      matter: loaded.matters,
      client: loaded.clients,
      invoice: loaded.invoices,
      employee: expect.any(Number),
    });
    expect(loaded).toMatchObject({ tenant: 'demo', items });
    expect(counts.employee).toBeGreaterThan(loaded.feeEarners);
    expect(told).toEqual([...Array.from({ length: items / 500 }, (_, index) => 500 * (index + 1)), items]);
  });

  it('has states, links, keys and read models that agree with its events', async () => {
    expect(await derivedOf(demo.store).verifier.verify('demo')).toMatchObject({
      outdated: 0,
      differences: 0,
    });
    for (const name of demo.audit.names) {
      const { differing, rows } = await demo.audit.audit(name, { tenant: 'demo' });
      expect({ name, differing }).toEqual({ name, differing: 0 });
      if (['work-items', 'invoices', 'matters', 'fee-analysis', 'cost-recoveries'].includes(name))
        expect(rows).toBeGreaterThan(10);
    }
  });

  it('has the same reports, however many parts its facts are derived in', async () => {
    await demo.rebuild.rebuild('work-items');
    const [{ bytes }] = await demo.sql<{ bytes: number }>(
      "select pg_relation_size('read_model.work_items_g2')::int as bytes",
    );
    expect(bytes).toBeGreaterThan(8 * BLOCK_BYTES);
    const client = await demo.store.reads.pool.connect();
    try {
      await derive(client, workItemsProjection, (name) => generationTable({ name }, 2), 3);
    } finally {
      client.release();
    }
    for (const { rows, differences } of await demo.reconciliation.run('demo')) {
      expect(rows).toBeGreaterThan(0);
      expect(differences).toEqual([]);
    }
  });

  it('has each billed item on one invoice that is not voided, for the same amount, and each reserved one on a draft', async () => {
    const sources = [...(await works()), ...(await states<CostRecoveryState>('costrecovery'))];
    const all = await invoices();
    const lines = all
      .filter(({ state }) => state !== InvoiceStatus.Voided)
      .flatMap((invoice) => invoice.lines.map((line) => ({ ...line, invoice })));
    const charged = new Map(lines.filter(({ sourceId }) => sourceId).map((line) => [line.sourceId, line]));
    expect(charged.size).toBe(lines.filter(({ sourceId }) => sourceId).length);
    const held = sources.filter(({ invoiceId }) => invoiceId !== null);
    expect(new Set(held.map(({ id }) => id))).toEqual(new Set(charged.keys()));
    for (const { id, matterId, state, invoiceId, settlement } of held) {
      const { invoice, amount, units } = charged.get(id)!;
      const isDraft = invoice.state === InvoiceStatus.Draft;
      expect([invoiceId, matterId]).toEqual([invoice.id, invoice.matterId]);
      expect(state).toBe(isDraft ? BillableStatus.Finalised : BillableStatus.Billed);
      if (!isDraft) expect(settlement).toMatchObject({ day: invoice.issueDate, billed: { amount, units } });
    }
    expect(sources.some(({ state }) => state === BillableStatus.Billed)).toBe(true);
  });

  it('has invoices whose totals add up, including payments and write-offs', async () => {
    const codes = await states<TaxCodeState>('taxcode');
    for (const { taxation, net, tax, total, balance, state, currency, ...invoice } of await invoices()) {
      const charges = invoice.lines.filter(({ kind }) => kind !== 'Text');
      const taxes = codes.map(({ id, category }) => {
        const own = charges.filter(({ taxCodeId }) => (taxCodeId ?? taxation.defaultTaxCodeId) === id);
        const percent = category === 'Standard' ? taxPercent : 0;
        return { amount: roundMoney(sumOf(own).mul(percent).div(100), currency) };
      });
      expect([net, tax]).toEqual([text(sumOf(charges)), text(sumOf(taxes))]);
      expect(total).toBe(text(decimal(net).add(tax)));
      const paid = invoice.payments.filter(({ reversed }) => !reversed);
      const owed = decimal(total).sub(sumOf(paid)).sub(invoice.writtenOff);
      const isOwed = state !== InvoiceStatus.Draft && state !== InvoiceStatus.Voided;
      expect(balance).toBe(isOwed ? text(owed) : '0');
    }
    const used = codes.filter(({ used: days }) => days && days.length > 0);
    expect(used.map(({ category }) => category)).toContain('Standard');
  });

  it('has numbers without gaps, in the order of the days', async () => {
    const numbered = (await invoices()).filter(({ number }) => number !== null);
    const issued = numbered.sort((one, other) => Number(one.number) - Number(other.number));
    expect(issued.map(({ number }) => number)).toEqual(issued.map((_, index) => String(index + 1)));
    const again = await demo.sql<{ id: string }>(
      `select 'invoice_' || replace(stream_id::text, '-', '') as id from event_store.events
       where type = 'InvoiceUnissued'`,
    );
    const once = issued.filter((invoice) => !again.some(({ id }) => id === invoice.id));
    const days = once.map(({ issueDate }) => issueDate!);
    expect(days).toEqual([...days].sort());
    for (const [kind, field] of [
      ['matter', 'matterNumber'],
      ['client', 'clientNumber'],
    ]) {
      const numbers = (await states<Record<string, string>>(kind)).map((one) => Number(one[field]));
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    }
  });
  it('leaves nothing unbilled on matters that are closed', async () => {
    const matters = await states<MatterState>('matter');
    expect(new Set(matters.map(({ state }) => state))).toEqual(new Set(Object.values(MatterStatus)));
    const done = matters.filter(({ state }) => state !== MatterStatus.Open);
    const closed = done.map(({ id }) => id);
    const closings = new Map(done.map(({ id, dateClosed }) => [id, dayIn(zone, dateClosed!)]));
    const days = [
      ...(await invoices()).map(({ matterId, issueDate }) => ({ matterId, day: issueDate })),
      ...(await works()).map(({ matterId, entryDay: day }) => ({ matterId, day })),
    ];
    expect(days.filter(({ matterId, day }) => day && day > (closings.get(matterId!) ?? '9'))).toEqual([]);
    const links = await demo.sql(
      `select kind, target from event_store.links
       where kind in ('unbilled_work', 'unbilled_cost', 'draft_invoice')
         and 'matter_' || replace(target::text, '-', '') = any($1)`,
      [closed],
    );
    expect(links).toEqual([]);
  });

  it('holds the invariant of fee analysis, item by item', async () => {
    const facts = await demo.sql<{ id: string; amount: string; units: string }>(
      `select 'workitem_' || replace(work_item_id::text, '-', '') as id,
         sum(finalised + written_up - billed - written_off) as amount,
         sum(finalised_units + written_up_units - billed_units - written_off_units) as units
       from read_model.fee_analysis where tenant_id = $1 group by 1`,
      [context.tenant.id],
    );
    const left = new Map(facts.map(({ id, amount, units }) => [id, [Number(amount), Number(units)]]));
    const charged = (await works()).filter(({ matterId, isBillable }) => matterId !== null && isBillable);
    for (const { id, state, remaining, remainingUnits } of charged) {
      const isOpen = state === BillableStatus.Finalised;
      expect(left.get(id) ?? [0, 0]).toEqual(isOpen ? [Number(remaining), Number(remainingUnits)] : [0, 0]);
    }
    expect(left.size).toBeGreaterThan(charged.length * 0.9);
  });

  it('was worked on in office hours of weekdays, until now', async () => {
    const all = await works();
    const hours = new Intl.DateTimeFormat('en', { timeZone: zone, hour: 'numeric', hourCycle: 'h23' });
    for (const { entryDate, entryDay } of all) {
      const at = new Date(entryDate);
      expect(entryDay).toBe(dayIn(zone, at));
      expect([0, 6]).not.toContain(new Date(entryDay).getUTCDay());
      expect(Number(hours.format(at))).toBeGreaterThanOrEqual(8);
      expect(Number(hours.format(at))).toBeLessThanOrEqual(18);
    }
    const days = all.map(({ entryDay }) => entryDay).sort();
    expect([days[0] >= '2024-11-21', days[days.length - 1] <= '2026-11-20']).toEqual([true, true]);
    expect([days[0] <= '2024-12-31', days[days.length - 1] >= '2026-11-10']).toEqual([true, true]);
    const late = await demo.sql(
      `select type from event_store.events where recorded_at > $1
       union all select type from event_store.events, json_each_text(data::json) d
       where d.key in ('day', 'issueDate', 'dateClosed', 'dateArchived') and d.value > $2`,
      [NOW, NOW.toISOString()],
    );
    expect(late).toEqual([]);
    const share = (some: WorkItemState[]) => some.length / all.length;
    expect(share(all.filter(({ itemType }) => itemType === 0))).toBeCloseTo(0.8, 1);
    expect(share(all.filter(({ matterId }) => matterId === null))).toBeCloseTo(0.04, 2);
    const pending = all.filter(({ state }) => state === BillableStatus.Pending);
    expect(pending.length).toBeGreaterThan(0);
    for (const { entryDay } of pending) expect(entryDay > '2026-10-25').toBe(true);
  });
});
