import type { Outcome, Step } from './import-request';
import type { ImportRequests, TakenImport } from './import-requests';
import { Turn, type TurnParts } from './turn';
import { turnMetrics } from './turn-metrics';

/** A worker's turn at an import. */
export class ImportTurn extends Turn<ImportRequests> {
  /** The connection string, encrypted. */
  readonly connection: string | null;
  private at: Step;

  constructor(taken: TakenImport, parts: TurnParts<ImportRequests>) {
    super(taken, parts);
    this.connection = taken.connection;
    this.at = taken.status;
  }

  get step(): Step {
    return this.at;
  }

  /** Moves the import to its next step. @throws LeaseLost, or the reason of the turn's signal */
  async advance(to: Step): Promise<void> {
    this.signal.throwIfAborted();
    await this.flush();
    await this.parts.requests.advance(this.requestId, this.worker, to);
    this.stepped();
    this.at = to;
  }

  async end(outcome: Outcome, message: string): Promise<void> {
    await this.flush();
    const ended = await this.parts.requests.end(this.requestId, this.worker, outcome, message, this.goOn);
    this.stepped();
    turnMetrics.ended('Import', ended);
  }
}
