import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { SystemClock } from '#kernel/clock';
import { isOutage } from '#platform/database/connection-lost';
import { operatorContext } from '#practice/tenants/operator.lookup';
import { waitedBriefly } from '../../../test/support/brief-waits';
import { writeFirm } from '../../../test/support/firms/write-firm';
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

  /** An import whose staged rows a dump is reading. */
  async function dumped() {
    const id = await parts.queue();
    const taken = (await parts.take())!;
    await taken.run();
    await dump.query('begin');
    for (const table of tables)
      await dump.query(`lock table ${new StagingArea(id).table(table.name)} in access share mode`);
    return { id, ...taken };
  }

  const statusOf = async (id: string) =>
    (await parts.client.query('select status, is_kept from import.requests where id = $1', [id])).rows[0];

  it.each([
    { outcome: 'Validated', isKept: true, staged: 'p' },
    { outcome: 'ValidationFailed', isKept: false, staged: undefined },
  ] as const)('as $outcome waits for the dump, but blocks nobody', async ({ outcome, isKept, staged }) => {
    const { id, turn } = await dumped();
    const ended = turn.end(outcome, 'It has ended.');
    await waitedBriefly(parts.client);
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

  it('by a cancellation is refused at once, as one that can be tried later', async () => {
    const { id, turn } = await dumped();
    await turn.close();
    await parts.client.query(
      `update import.requests set status = 'Validated', is_kept = true, leased_by = null, leased_until = null where id = $1`,
      [id],
    );
    const repeats = new ImportRepeats(parts.store.writes, parts.secrets, new SystemClock());
    const cancelling = new CancelImportHandler(repeats).execute(
      new CancelImport(operatorContext(parts.tenant), id),
    );
    const error = await cancelling.catch((error) => error);
    // The wait for the table has ended, long before the limit of a statement.
    expect(error).toMatchObject({ code: '55P03' });
    expect(isOutage(error)).toBe(true);
    expect(await statusOf(id)).toEqual({ status: 'Validated', is_kept: true });
  });

  it('is left to another worker when the process of its own worker ends', async () => {
    const { id, turn } = await dumped();
    const ended = turn.end('Validated', 'It has ended.');
    ended.catch(() => undefined);
    await waitedBriefly(parts.client);
    turn.abort(new WorkerEnding());
    await expect(ended).rejects.toBeInstanceOf(WorkerEnding);
    expect(await statusOf(id)).toMatchObject({ status: 'Extracting' });
  });
});
