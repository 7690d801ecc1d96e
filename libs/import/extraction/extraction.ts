import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { DomainError } from '#kernel/errors';
import { WriteDatabase } from '#platform/database';
import { transactionAlone } from '#platform/database/alone';
import { Secrets } from '#platform/secrets';
import type { SourceConnection } from '../connection/source-connection';
import { SourceFailure } from '../connection/source-failure';
import { Sources } from '../connection/sources';
import { ImportSettings } from '../import-settings';
import { ImportFailed } from '../requests/import-request';
import { ImportRequests } from '../requests/import-requests';
import {
  isIntact,
  miscounted,
  resetTables,
  setTotals,
  type TableState,
  tableStates,
} from '../requests/import-tables';
import type { ImportTurn } from '../requests/import-turn';
import { requireLease } from '../requests/leased-requests';
import { checkSchema, checkVersion, listed, named, type SourceTable } from './source-schema';
import { countStatement } from './statements';
import { TableExtraction } from './table-extraction';

/** The current connection to the source. When it breaks, another takes its place. */
interface Line {
  source?: SourceConnection;
}

/** Copies the customer's tables into the staging area. */
@Injectable()
export class Extraction {
  private readonly log = new Logger(Extraction.name);

  constructor(
    private readonly sources: Sources,
    private readonly requests: ImportRequests,
    private readonly database: WriteDatabase,
    private readonly secrets: Secrets,
    private readonly settings: ImportSettings,
  ) {}

  /**
   * Extracts all tables. Continues where an earlier worker stopped.
   * @throws SourceFailure, ImportFailed, LeaseLost, or the reason of the turn's signal
   */
  async run(turn: ImportTurn): Promise<void> {
    const line: Line = {};
    try {
      await turn.advance('Connecting');
      await this.patiently(turn, line, async () => undefined);
      await turn.advance('CheckingSchema');
      const tables = await this.patiently(turn, line, (source) => this.check(turn, source));
      await turn.advance('Extracting');
      await this.extract(turn, line, tables);
    } catch (error) {
      // Work that was aborted may fail with any error; the signal's reason is the cause.
      turn.signal.throwIfAborted();
      throw error;
    } finally {
      line.source?.close();
    }
  }

  private async connect(turn: ImportTurn): Promise<SourceConnection> {
    const { connection } = turn;
    if (connection === null)
      throw new ImportFailed('The connection string of the import is no longer stored. Import again.');
    try {
      return await this.sources.open(this.secrets.open(connection), turn.signal);
    } catch (error) {
      if (error instanceof DomainError) throw new ImportFailed(error.detail);
      throw error;
    }
  }

  private async check(turn: ImportTurn, source: SourceConnection): Promise<SourceTable[]> {
    const tables = await checkSchema(source);
    const schemaVersion = await checkVersion(source);
    await this.requests.describe(turn.requestId, turn.worker, schemaVersion);
    return tables;
  }

  private async extract(turn: ImportTurn, line: Line, tables: SourceTable[]): Promise<void> {
    const client = await this.database.session(turn.signal);
    try {
      // A crash that loses the last commits empties the unlogged tables, too; the extraction then begins again.
      await client.query('set synchronous_commit = off');
      const states = await this.prepare(client, turn);
      const count = (source: SourceConnection) => this.count(turn, source, tables);
      await this.patiently(turn, line, count);
      for (const from of tables) {
        const state = states.get(from.table.name)!;
        if (state.isComplete) continue;
        const table = new TableExtraction(client, turn, from, state, this.settings);
        await this.patiently(
          turn,
          line,
          (source) => table.run(source),
          () => table.count,
        );
      }
      await this.patiently(turn, line, count);
      await this.compare(turn);
    } finally {
      await client.end();
    }
  }

  /** Prepares the staging area: as an earlier worker left it if it is intact, otherwise empty. @returns states by table */
  private async prepare(client: Client, turn: ImportTurn): Promise<Map<string, TableState>> {
    const begin = async () => {
      await requireLease(client, turn.requestId, turn.worker);
      await this.requests.supersede(client, turn);
      if (!(await isIntact(client, turn.staging, await tableStates(client, turn.requestId)))) {
        await turn.staging.create(client);
        await resetTables(client, turn.requestId);
      }
    };
    await transactionAlone(client, begin, () => turn.signal.throwIfAborted());
    const states = await tableStates(client, turn.requestId);
    return new Map(states.map((state) => [state.name, state]));
  }

  private async count(turn: ImportTurn, source: SourceConnection, tables: SourceTable[]): Promise<void> {
    const totals = new Map<string, string>();
    for (const { table } of tables) {
      const [{ rows }] = await source.query(countStatement(table));
      totals.set(table.name, String(rows));
    }
    await setTotals(this.database.pool, turn.requestId, totals);
  }

  /** Compares the rows read with the source's counts. @throws SourceFailure `source_changed` when a table's differ */
  private async compare({ requestId }: ImportTurn): Promise<void> {
    const changed = await miscounted(this.database.pool, requestId);
    if (changed.length > 0)
      throw new SourceFailure(
        'source_changed',
        `Rows were added or deleted while they were read: ${listed(changed.map(named), 'the table', 'the tables')}. Make sure that nobody writes to the tables during an import, and import again.`,
      );
  }

  /**
   * Does work over the current connection. When it failed because the server was busy or the connection broke, it is repeated
   * over a new one. Gives up after several failures without progress between them. A first connection that nobody answers is
   * not repeated.
   * @param progress a figure that grows with the work done
   */
  private async patiently<Result>(
    turn: ImportTurn,
    line: Line,
    work: (source: SourceConnection) => Promise<Result>,
    progress = () => 0,
  ): Promise<Result> {
    for (let tries = 1, reached = progress(); ; tries++) {
      try {
        line.source ??= await this.connect(turn);
        return await work(line.source);
      } catch (error) {
        turn.signal.throwIfAborted();
        if (!(error instanceof SourceFailure) || error.kind === 'lasting') throw error;
        if (turn.step === 'Connecting' && error.kind === 'lost') throw error;
        if (progress() > reached) tries = 1;
        reached = progress();
        if (tries > this.settings.mostTries) throw error;
        this.log.warn(`Import ${turn.requestId}: ${error.code}, try ${tries}`);
        line.source?.close();
        line.source = undefined;
        await delay(this.settings.retryMs * 2 ** (tries - 1), undefined, { signal: turn.signal });
      }
    }
  }
}
