import type { Logger } from '@nestjs/common';
import type { ImportSettings } from '../connection/import-settings';
import { ImportCancelled, LeaseLost } from './import-request';

interface Parts {
  /** Renews the lease. @returns whether the request's cancellation is requested; undefined when another worker holds it */
  renew(): Promise<boolean | undefined>;
  settings: Pick<ImportSettings, 'heartbeatMs' | 'leaseMs'>;
  log: Logger;
}

/** Renews a worker's lease of a request while its turn lasts, and aborts the turn when the lease is lost. */
export class Lease {
  private readonly ending = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private renewal?: Promise<void>;
  private renewedAt = performance.now();

  constructor(private readonly parts: Parts) {
    this.timer = setInterval(() => this.beat(), parts.settings.heartbeatMs);
  }

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Makes the work on the request stop. */
  abort(reason: Error): void {
    this.ending.abort(reason);
  }

  /** Stops renewing the lease. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.renewal;
  }

  private beat(): void {
    this.renewal ??= this.renew()
      .catch((error: Error) => {
        this.parts.log.warn(`The lease of an import was not renewed: ${error.message}`);
        if (performance.now() - this.renewedAt > this.parts.settings.leaseMs * 0.9)
          this.abort(new LeaseLost());
      })
      .finally(() => {
        this.renewal = undefined;
      });
  }

  private async renew(): Promise<void> {
    const at = performance.now();
    const isUnwanted = await this.parts.renew();
    if (isUnwanted === undefined) this.abort(new LeaseLost());
    else if (isUnwanted) this.abort(new ImportCancelled());
    else this.renewedAt = at;
  }
}
