import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { Clock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { alone } from '#platform/database/alone';
import { Comparison } from '../arrivals/comparison';
import type { ImportRun } from '../import-run';
import { ExistingRecords } from '../records/existing-records';
import { takeRows } from '../staging/taken-rows';
import { checkCells } from './cells/cells';
import { dropDuplicates } from './cells/duplicates';
import { makeSourceTotals } from './source-totals';
import { makeKnownRecords } from './tenant/all-records';
import { countAsNow } from './tenant/counted-then-and-now';
import { makeEdited } from './tenant/edited-records';
import {
  makeCurrencies,
  makeExisting,
  makeRecordIds,
  makeRoleKeys,
  makeSettings,
  nameByKeys,
} from './tenant/lookup-tables';
import { makeCharges, makeValues } from './values';
import { makeTable } from './working-tables';

/** Memory for sorts and hashes of about a million rows; larger ones go to disk. */
const SESSION = `set work_mem = '64MB'; set maintenance_work_mem = '128MB'; set jit = off`;

/**
 * The rows of an import with typed values, and the tables derived from them. All SQL runs in the import's staging area.
 */
@Injectable()
export class CheckedRows {
  constructor(
    private readonly database: WriteDatabase,
    private readonly existing: ExistingRecords,
    private readonly comparison: Comparison,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs work on a session in which the import's tables are visible by their bare names. The session ends when the run
   * is aborted, or when another turn at the import begins a session.
   * @throws LeaseLost, the reason of the abort
   */
  async session<Result>(run: ImportRun, work: (session: Client) => Promise<Result>): Promise<Result> {
    run.signal.throwIfAborted();
    const session = await this.database.session(run.signal);
    try {
      await session.query(SESSION);
      await takeRows(session, run.staging, 'check');
      // From here on a worker that takes the import over ends this session.
      await run.owning(async () => undefined);
      await session.query(`set search_path = ${run.staging.schema}, pg_catalog`);
      const result = await work(session);
      run.signal.throwIfAborted();
      return result;
    } catch (error) {
      run.signal.throwIfAborted();
      throw error;
    } finally {
      await session.end();
    }
  }

  /**
   * Makes all checked tables anew.
   * @returns see Comparison.compare
   */
  async make(session: Client, run: ImportRun): Promise<unknown> {
    const { tenant } = run;
    await alone(session, 'drop table if exists made');
    const [settings, sourceSystems] = await Promise.all([
      this.existing.settings(tenant),
      this.existing.sourceSystems(tenant),
    ]);
    await makeCurrencies(session);
    await checkCells(session);
    await dropDuplicates(session);
    await makeSettings(session, tenant, settings, sourceSystems, this.clock.now());
    const ids = await makeRecordIds(session, tenant);
    await nameByKeys(session);
    await makeRoleKeys(session);
    const fault = await makeEdited(session, run, this.comparison, ids);
    await makeExisting(session);
    await makeKnownRecords(session);
    await countAsNow(session);
    await makeValues(session, settings.unitRounding);
    await makeCharges(session);
    await makeSourceTotals(session);
    await makeTable(session, 'made', 'select now() as at');
    return fault;
  }

  /** Makes the checked tables unless they are complete: a crash may have emptied them, or an earlier turn not ended. */
  async keep(session: Client, run: ImportRun): Promise<void> {
    const { rows } = await session.query<{ there: boolean }>(
      `select to_regclass('made') is not null as there`,
    );
    if (rows[0].there && (await session.query('select from made')).rowCount === 1) return;
    await this.make(session, run);
  }
}
