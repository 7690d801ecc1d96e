import { Injectable } from '@nestjs/common';
import { DomainError } from '#kernel/errors';
import { isUnreachable } from '#platform/database/connection-lost';
import { SourceFailure } from './connection/source-failure';
import { type Ending, ImportSteps } from './import-steps';
import { Loading } from './loading/loading';
import { StagingErasures } from './loading/staging-erasures';
import { ImportRepeats } from './requests/import-repeats';
import {
  cancelled,
  ImportCancelled,
  ImportFailed,
  isDatabaseAway,
  LeaseLost,
  MOST_DEATHS,
  OUR_FAULT,
  WorkerEnding,
} from './requests/import-request';
import { ImportRequests } from './requests/import-requests';
import { ImportTurn } from './requests/import-turn';
import { RequestWorker } from './requests/request-worker';

/** How many imports a worker carries out at once, so that a slow source does not keep all others waiting. */
const AT_ONCE = 2;
/** How often erasures are repeated in staging tenants. */
const ERASE_EVERY_MS = 30_000;
const FORGET_EVERY_MS = 3_600_000;

/** Takes imports from the queue and carries them out. */
@Injectable()
export class ImportWorker extends RequestWorker<ImportTurn> {
  private forgotAt = Number.NEGATIVE_INFINITY;
  private settledAt = Number.NEGATIVE_INFINITY;
  private erasedAt = Number.NEGATIVE_INFINITY;
  private settling?: Promise<void>;
  private readonly ending = new AbortController();

  constructor(
    private readonly requests: ImportRequests,
    private readonly steps: ImportSteps,
    private readonly loading: Loading,
    private readonly erasures: StagingErasures,
    private readonly repeats: ImportRepeats,
  ) {
    super(requests.settings, AT_ONCE);
  }

  protected async take(own: readonly string[]): Promise<ImportTurn | undefined> {
    const { worker, requests, log } = this;
    const taken = await requests.take(worker, own);
    return taken && new ImportTurn(taken, { worker, requests, log });
  }

  override async onApplicationShutdown(): Promise<void> {
    this.ending.abort(new WorkerEnding());
    await super.onApplicationShutdown();
    await this.settling;
  }

  protected override async tidy(): Promise<void> {
    this.settle();
    if (performance.now() - this.forgotAt < FORGET_EVERY_MS) return;
    this.forgotAt = performance.now();
    await this.repeats.forget();
  }

  /**
   * Releases the staging tenants that unfinished loads have left held. Runs in the background, so the queue does not
   * wait.
   */
  private settle(): void {
    if (this.settling || performance.now() - this.settledAt < this.settings.laterMs) return;
    this.settledAt = performance.now();
    this.settling = this.loading
      .settle(this.ending.signal)
      .catch((error: Error) => {
        if (!this.ending.signal.aborted)
          this.log.warn(`The staging tenant of an unfinished load could not be released: ${error.message}`);
      })
      .then(() => this.repeatErasures())
      .finally(() => {
        this.settling = undefined;
      });
  }

  private async repeatErasures(): Promise<void> {
    if (this.ending.signal.aborted || performance.now() - this.erasedAt < ERASE_EVERY_MS) return;
    this.erasedAt = performance.now();
    try {
      const count = await this.erasures.repeat();
      if (count > 0)
        this.log.log(
          `Erased ${count} people in staging tenants who had been erased in the tenants themselves`,
        );
    } catch (error) {
      this.log.warn(`Erasures were not repeated in staging tenants: ${(error as Error).message}`);
    }
  }

  protected async carryOut(turn: ImportTurn): Promise<void> {
    const name = `Import ${turn.requestId} of ${turn.tenant.alias}`;
    // An import may run for ever and keep others waiting. Only the log tells whose it is: a tenant sees only its own
    // status.
    this.log.log(`${name}: taken up`);
    try {
      const { outcome, message } = await this.endingOf(turn);
      await turn.end(outcome, message);
      this.log.log(`${name}: ${outcome}`);
    } catch (error) {
      // The next worker continues. An error of the database cannot be stored with the request, as the database is away.
      if (error instanceof WorkerEnding) return this.requests.release(turn.requestId, turn.worker);
      if (error instanceof LeaseLost) return;
      // An unreachable database does not count as a death: the import has brought no worker down.
      if (isUnreachable(error))
        await this.requests.release(turn.requestId, turn.worker, this.settings.laterMs);
      throw error;
    }
  }

  /** Carries the import out. @returns its end, also after a failure. @throws errors that end only this turn */
  private async endingOf(turn: ImportTurn): Promise<Ending> {
    if (turn.deaths >= MOST_DEATHS)
      return {
        outcome: 'Failed',
        message: 'The import failed again and again on our side. Tell the operator.',
      };
    try {
      return await this.steps.carryOut(turn);
    } catch (error) {
      if (error instanceof ImportCancelled) return cancelled;
      if (error instanceof SourceFailure || error instanceof ImportFailed)
        return { outcome: 'Failed', message: error.message };
      // Renewing the lease would reveal a cancellation, but a turn that finds the database unreachable may be too short for that.
      if (isUnreachable(error) && (await turn.isUnwanted())) return cancelled;
      if (error instanceof WorkerEnding || error instanceof LeaseLost || isDatabaseAway(error)) throw error;
      if (error instanceof DomainError) return { outcome: 'Failed', message: error.detail };
      const { message, stack } = error as Error;
      this.log.error({ msg: `Import ${turn.requestId} failed: ${message}`, stack });
      return { outcome: 'Failed', message: OUR_FAULT };
    }
  }
}
