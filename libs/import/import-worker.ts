import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { DomainError } from '#kernel/errors';
import { isConnectionLost } from '#platform/connection-lost';
import { WriteDatabase } from '#platform/database';
import { ImportSettings } from './connection/import-settings';
import { SourceFailure } from './connection/source-failure';
import { type Ending, ImportSteps } from './import-steps';
import { ImportRepeats } from './requests/import-repeats';
import { ImportCancelled, ImportFailed, LeaseLost, WorkerEnding } from './requests/import-request';
import { ImportRequests, type Taken } from './requests/import-requests';
import { ImportTurn } from './requests/import-turn';

const FORGET_EVERY_MS = 3_600_000;
/** An import over which so many workers died would take the next one too. */
const MOST_DEATHS = 5;

/** Takes imports from the queue and carries them out, some at a time. */
@Injectable()
export class ImportWorker implements OnApplicationShutdown {
  private readonly log = new Logger(ImportWorker.name);
  private readonly worker = randomUUID();
  private readonly turns = new Map<ImportTurn, Promise<void>>();
  private timer?: NodeJS.Timeout;
  private looking?: Promise<void>;
  private forgotAt = 0;

  constructor(
    private readonly requests: ImportRequests,
    private readonly steps: ImportSteps,
    private readonly repeats: ImportRepeats,
    private readonly database: WriteDatabase,
    private readonly settings: ImportSettings,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.looking ??= this.look()
        .catch((error: Error) => this.log.warn(`Imports are held up: ${error.message}`))
        .finally(() => {
          this.looking = undefined;
        });
    }, this.settings.pollMs);
  }

  /** What is under way is another worker's at once. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
    for (const turn of this.turns.keys()) turn.abort(new WorkerEnding());
    await Promise.all(this.turns.values());
  }

  /** Takes what it can, and carries it out beside what it has. */
  private async look(): Promise<void> {
    while (this.turns.size < this.settings.atOnce) {
      const taken = await this.requests.take(this.worker);
      if (!taken) break;
      this.begin(taken);
    }
    if (Date.now() - this.forgotAt < FORGET_EVERY_MS) return;
    this.forgotAt = Date.now();
    await this.repeats.forget();
  }

  private begin(taken: Taken): void {
    const { worker, requests, database, settings, log } = this;
    const turn = new ImportTurn(taken, { worker, requests, database, settings, log });
    const done = this.carryOut(turn)
      .catch((error: Error) =>
        this.log.warn(`Import ${turn.requestId} is left to the next: ${error.message}`),
      )
      .finally(() => this.turns.delete(turn));
    this.turns.set(turn, done);
  }

  private async carryOut(turn: ImportTurn): Promise<void> {
    try {
      const { outcome, message } = await this.endingOf(turn);
      await turn.end(outcome, message);
      this.log.log(`Import ${turn.requestId} of ${turn.tenant.alias}: ${outcome}`);
    } catch (error) {
      // Whoever takes it next goes on from there; what failed for want of the database can be told by nobody now.
      if (error instanceof WorkerEnding) await this.requests.release(turn.requestId, turn.worker);
      else if (!(error instanceof LeaseLost)) throw error;
    } finally {
      await turn.close();
    }
  }

  /** How the import ends, by itself or by a failure. @throws what ends this turn alone */
  private async endingOf(turn: ImportTurn): Promise<Ending> {
    if (turn.deaths >= MOST_DEATHS)
      return {
        outcome: 'Failed',
        message: 'The import failed again and again on our side. Tell the operator.',
      };
    try {
      return await this.steps.carryOut(turn);
    } catch (error) {
      if (error instanceof ImportCancelled) return { outcome: 'Cancelled', message: 'Cancelled on request.' };
      if (error instanceof SourceFailure || error instanceof ImportFailed)
        return { outcome: 'Failed', message: error.message };
      if (error instanceof WorkerEnding || error instanceof LeaseLost || isConnectionLost(error)) throw error;
      // The database is away, or answers too late: the lease ends, and another goes on.
      if (error instanceof DomainError && error.code === 'store_unavailable') throw error;
      if (error instanceof DomainError) return { outcome: 'Failed', message: error.detail };
      const { message, stack } = error as Error;
      this.log.error({ msg: `Import ${turn.requestId} failed: ${message}`, stack });
      return { outcome: 'Failed', message: 'Something went wrong on our side. Tell the operator.' };
    }
  }
}
