import { Writable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import type { EventRow } from '#event-store/codec';
import { EVENT_COLUMNS } from '#event-store/codec';
import { printPosition } from '#event-store/position';
import { definitions } from '#practice/areas';
import { createFirm } from '#practice/testing/firm';
import { type NaiveEvent, type NaiveRow, naiveFacts, naiveRecords } from '#practice/testing/naive-fold';
import { allProjections } from '#practice/testing/projected-firms';
import { Firm, type Step } from '#practice/testing/random-life';
import { randomStep } from '#practice/testing/random-step';
import { SetClock } from '../../../test/support/set-clock';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { projectionParts } from '../testing/parts';
import type { ExportOptions } from './projection-export';

const kinds: Record<string, string> = {
  divisions: 'Division',
  people: 'Entity',
  matters: 'Matter',
  'work-items': 'WorkItem',
};

/** Rows as texts, so that no digit is lost: instants in a uniform format, numbers in JSON as texts. */
function comparable(rows: NaiveRow[]): NaiveRow[] {
  const texts = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(name, value)])),
  );
  const key = (row: NaiveRow) => `${row.tenant} ${row.id}`;
  return texts.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function textOf(name: string, value: unknown): unknown {
  if (value === null) return null;
  if (name === 'state')
    return JSON.parse(JSON.stringify(value, (_, inner) => (typeof inner === 'number' ? `${inner}` : inner)));
  if (/_on$|_date$|^date_/.test(name)) return new Date(value as string).toISOString();
  if (value === 't' || value === 'f') return String(value === 't');
  return String(value);
}

function fromCsv(text: string): NaiveRow[] {
  const rows: NaiveRow[] = parse(text, {
    columns: true,
    // An empty text is quoted, null is empty.
    cast: (value, { quoting }) => (value === '' && !quoting ? null : value),
  });
  return rows.map((row) => ('state' in row ? { ...row, state: JSON.parse(row.state as string) } : row));
}

/** Parses JSON with numbers as texts, because JSON.parse would round long numbers. */
function fromJson(text: string): NaiveRow[] {
  expect(text === '' || text.endsWith('\n')).toBe(true);
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line.replace(/(?<=[^\\]": ?)-?\d+(\.\d+)?(?=[,}])/g, '"$&"')));
}

describe('exports', () => {
  const clock = new SetClock(new Date('2025-01-01T00:00:00.000Z'));
  const aliases = new Map<number, string>();
  const firms: Firm[] = [];
  let store: TestStore;
  let parts: ReturnType<typeof projectionParts>;

  beforeAll(async () => {
    store = await createTestStore(definitions, clock);
    parts = projectionParts(store, allProjections);
    for (let number = 0; number < 3; number++) {
      const context = await createFirm(store);
      aliases.set(context.tenant.id, context.tenant.alias);
      const firm = new Firm(store.store, context);
      await firm.found();
      firms.push(firm);
      clock.advance(0.001);
    }
  });
  afterAll(async () => {
    await parts.bus.onApplicationShutdown();
    await store.close();
  });

  async function exported(name: string, options: ExportOptions): Promise<string> {
    const chunks: Buffer[] = [];
    const out = new Writable({ write: (chunk, _, done) => done(void chunks.push(Buffer.from(chunk))) });
    await parts.exporting.write(name, options, out);
    expect(out.writableEnded).toBe(false);
    return Buffer.concat(chunks).toString();
  }

  async function events(): Promise<NaiveEvent[]> {
    const { rows } = await store.writes.pool.query<EventRow>(
      `select ${EVENT_COLUMNS} from event_store.events e order by e.tenant_id, e.stream_id, e.version`,
    );
    return rows.map((row) => {
      const { tenantId, streamId, version, event, eventId, metadata, recordedAt, at } =
        store.codec.decodeEvent(row);
      return {
        tenant: aliases.get(tenantId)!,
        stream: streamId,
        version,
        id: eventId,
        by: metadata.actor,
        type: event.type,
        data: event.data,
        on: recordedAt.toISOString(),
        at: printPosition(at).split('.') as NaiveEvent['at'],
      };
    });
  }

  async function live(steps: Step[]): Promise<void> {
    for (const step of steps) {
      clock.advance(step.milliseconds / 1000);
      await firms[step.firm % firms.length].live(step);
    }
  }

  async function expectNaive(
    asOf: Date | undefined,
    formats: ExportOptions['format'][] = ['csv', 'jsonl'],
    tenant?: string,
  ): Promise<void> {
    const until = (await events()).filter(
      (event) => (!asOf || event.on <= asOf.toISOString()) && (!tenant || event.tenant === tenant),
    );
    for (const name of [...Object.keys(kinds), 'fee-analysis']) {
      const expected = comparable(kinds[name] ? naiveRecords(kinds[name], until) : naiveFacts(until));
      for (const format of formats) {
        const text = await exported(name, { format, asOf, tenant });
        const rows = comparable(format === 'csv' ? fromCsv(text) : fromJson(text));
        expect({ name, format, rows }).toEqual({ name, format, rows: expected });
      }
    }
  }

  it('equal a naive fold of the events up to any instant, after any history', async () => {
    const cut = fc.record({
      place: fc.nat(999),
      shift: fc.constantFrom(-1, 0, 0, 1),
      format: fc.constantFrom('csv' as const, 'jsonl' as const),
      firm: fc.option(fc.nat(2)),
    });
    const history = fc.array(randomStep, { minLength: 12, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(history, cut, async (steps, { place, shift, format, firm }) => {
        await live(steps);
        const instants = [...new Set((await events()).map(({ on }) => on))].sort();
        const asOf = new Date(Date.parse(instants[place % instants.length]) + shift);
        await expectNaive(asOf, [format], firm === null ? undefined : [...aliases.values()][firm]);
      }),
      { numRuns: 25 },
    );
    const all = await events();
    // Far below the actual numbers, which depend on the draws: 280 ± 20 events and 55 ± 10 facts.
    expect(all.length).toBeGreaterThan(100);
    expect(naiveFacts(all).length).toBeGreaterThan(5);
    expect(new Set(all.map(({ on }) => on)).size).toBeLessThan(all.length);
    await expectNaive(new Date('2024-12-31T23:59:59.999Z'));
    await expectNaive(new Date('2199-01-01T00:00:00.000Z'));
    await expectNaive(undefined);
  });

  it('end each record before its first event after the instant, even when two clocks disagreed', async () => {
    const [firm] = firms;
    clock.advance(10);
    const begun = clock.at;
    await firm.actions.createDivision('Ahead', 1);
    clock.advance(-5);
    await firm.actions.renameDivision('Behind', firm.count('divisions') - 1);
    clock.advance(10);
    const names = async (asOf: Date) =>
      fromCsv(await exported('divisions', { format: 'csv', asOf })).map(({ name }) => name);
    const between = await names(new Date(begun.getTime() - 1));
    expect(between).not.toContain('Ahead');
    expect(between).not.toContain('Behind');
    expect(await names(begun)).toContain('Behind');
  });

  it('contain what was acknowledged while an open transaction keeps the feed waiting', async () => {
    const open = await store.writes.session();
    try {
      await open.query('begin; select pg_current_xact_id()');
      await firms[0].actions.createDivision('Acknowledged', 1);
      for (const asOf of [undefined, clock.at])
        expect(await exported('divisions', { format: 'csv', asOf })).toContain('Acknowledged');
    } finally {
      await open.end();
    }
  });

  it('begin with a header in CSV, even without rows, and are ordered by tenant and key', async () => {
    const csv = await exported('divisions', { format: 'csv', asOf: new Date(0) });
    expect(csv).toBe(
      'tenant,id,version,is_deleted,created_on,created_by,updated_on,updated_by,external_reference,' +
        'changed_epoch,changed_transaction_id,changed_position,state,code,name,division_state,is_default\n',
    );
    expect(await exported('divisions', { format: 'jsonl', asOf: new Date(0) })).toBe('');
    const keys = fromJson(await exported('divisions', { format: 'jsonl' })).map(
      ({ tenant, id }) => `${tenant} ${id}`,
    );
    expect(keys).toEqual([...keys].sort());
  });

  it('fail with the error of their file, and leave no session', async () => {
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    for (const format of ['csv', 'jsonl'] as const) {
      const out = new Writable({ write: (_chunk, _encoding, done) => done(full) });
      await expect(parts.exporting.write('divisions', { format }, out)).rejects.toBe(full);
    }
    await expect(exported('nothing', { format: 'csv' })).rejects.toMatchObject({
      code: 'unknown_projection',
    });
    const nobody = exported('divisions', { format: 'csv', tenant: 'nobody' });
    await expect(nobody).rejects.toMatchObject({ code: 'tenant_not_found' });
    await waitFor(
      async () => {
        const { rows } = await store.reads.pool.query(
          `select from pg_stat_activity where datname = current_database() and application_name like '%-session'`,
        );
        return rows.length === 0;
      },
      { description: 'the sessions to be gone' },
    );
  });
});
