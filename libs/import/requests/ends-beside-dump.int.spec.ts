import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { SystemClock } from '#kernel/clock';
import { isOutage } from '#platform/connection-lost';
import { operatorContext } from '#practice/tenants/operator.lookup';
import { writeFirm } from '../../../test/support/firms/write-firm';
import { waitFor } from '../../../test/support/wait-for';
import { CancelImport, CancelImportHandler } from '../api/import.commands';
import { tables } from '../schema/schema-1.0';
import { StagingArea } from '../staging/staging-area';
import { type ExtractionParts, openExtraction } from '../testing/extraction-parts';
import { ImportRepeats } from './import-repeats';
import { WorkerEnding } from './import-request';

describe('the end of an import beside a dump of the database', () => {
  let parts: ExtractionParts;
  let dump: Client;

  beforeEach(async () => {
    for (const level of ['warn', 'log', 'error'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation();
    parts = await openExtraction();
    await writeFirm(parts.client, { items: 50 });
    dump = await parts.store.writes.session();
  });
  afterEach(async () => {
    await dump.end();
    await parts.close();
    jest.restoreAllMocks();
  });

  /** An import whose rows are being dumped. */
  async function dumped() {
    const id = await parts.queue();
    const taken = (await parts.take())!;
    await taken.run();
    await dump.query('begin');
    for (const table of tables)
      await dump.query(`lock table ${new StagingArea(id).table(table)} in access share mode`);
    return { id, ...taken };
  }

  /** Of those who wait for a table and have a transaction id, behind whom every reader of the feed waits. */
  async function waited(): Promise<number> {
    const { rows } = await parts.client.query<{ ms: number }>(
      `select coalesce(max(extract(epoch from clock_timestamp() - query_start)), 0)::float8 * 1000 as ms
       from pg_stat_activity
       where datname = current_database() and backend_xid is not null and wait_event_type = 'Lock'`,
    );
    return rows[0].ms;
  }

  /** In two seconds. */
  async function longestWait(): Promise<number> {
    const seen: number[] = [];
    for (const end = Date.now() + 2_000; Date.now() < end; await delay(50)) seen.push(await waited());
    return Math.max(...seen);
  }
  const statusOf = async (id: string) =>
    (await parts.client.query('select status, is_kept from import.requests where id = $1', [id])).rows[0];

  it.each([
    { outcome: 'Validated', isKept: true, staged: 'p' },
    { outcome: 'ValidationFailed', isKept: false, staged: undefined },
  ] as const)('$outcome waits for it, and holds up nobody meanwhile', async ({ outcome, isKept, staged }) => {
    const { id, turn } = await dumped();
    const ended = turn.end(outcome, 'It has ended.');
    const wait = await longestWait();
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThan(1_000);
    expect(await statusOf(id)).toMatchObject({ status: 'Extracting' });
    await dump.query('commit');
    await ended;
    expect(await statusOf(id)).toEqual({ status: outcome, is_kept: isKept });
    const { rows } = await parts.client.query(
      `select distinct relpersistence as kind from pg_class where relnamespace = to_regnamespace($1) and relkind = 'r'`,
      [new StagingArea(id).schema],
    );
    expect(rows[0]?.kind).toBe(staged);
  });

  it('on request is refused for now at once', async () => {
    const { id, turn } = await dumped();
    await turn.close();
    await parts.client.query(
      `update import.requests set status = 'Validated', is_kept = true, leased_by = null, leased_until = null where id = $1`,
      [id],
    );
    const repeats = new ImportRepeats(parts.store.writes, parts.secrets, new SystemClock());
    const began = performance.now();
    const cancelling = new CancelImportHandler(repeats).execute(
      new CancelImport(operatorContext(parts.tenant), id),
    );
    expect(isOutage(await cancelling.catch((error) => error))).toBe(true);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await statusOf(id)).toEqual({ status: 'Validated', is_kept: true });
  });

  it('is left to another worker when its own ends', async () => {
    const { id, turn } = await dumped();
    const ended = turn.end('Validated', 'It has ended.');
    ended.catch(() => undefined);
    await waitFor(async () => (await waited()) > 0, { description: 'the end to wait' });
    turn.abort(new WorkerEnding());
    await expect(ended).rejects.toBeInstanceOf(WorkerEnding);
    expect(await statusOf(id)).toMatchObject({ status: 'Extracting' });
  });
});
