import { Injectable } from '@nestjs/common';
import { type RegisteredTenant, tenantColumns } from '#platform/auth/tenants';
import { WriteDatabase } from '#platform/database';
import { Extraction } from './extraction/extraction';
import { Loading } from './loading/loading';
import { Reconciliation } from './reconciliation/reconciliation';
import { errorsFound, ImportFailed, needsSource, type Outcome } from './requests/import-request';
import { ImportRequests } from './requests/import-requests';
import { isIntact, tableStates } from './requests/import-tables';
import type { ImportTurn } from './requests/import-turn';
import { Validation } from './validation/validation';

/** The outcome of an import, and the message of its status. */
export interface Ending {
  outcome: Outcome;
  message: string;
}

/** Carries an import from its current step to its end. Every step can be repeated from its beginning. */
@Injectable()
export class ImportSteps {
  constructor(
    private readonly extraction: Extraction,
    private readonly validation: Validation,
    private readonly loading: Loading,
    private readonly reconciliation: Reconciliation,
    private readonly requests: ImportRequests,
    private readonly database: WriteDatabase,
  ) {}

  /** @throws SourceFailure, ImportFailed, DomainError, LeaseLost, or the reason of the turn's signal */
  async carryOut(turn: ImportTurn): Promise<Ending> {
    if (needsSource(turn.step)) {
      await this.extraction.run(turn);
      await turn.advance('Validating');
    } else await this.requireStaged(turn);

    if (turn.step === 'Validating') {
      await this.validation.validate(turn);
      const { errors } = await this.requests.count(turn.requestId, turn.worker);
      if (errors > 0) return failed(errors, 'Nothing was loaded.');
      await turn.advance('Loading');
    }
    let staging: RegisteredTenant | undefined;
    if (turn.step === 'Loading') {
      staging = await this.loading.load(turn);
      await turn.advance('Reconciling');
    }
    staging ??= await this.stagingTenant(turn);
    await this.reconciliation.reconcile(turn, staging);
    const { errors, warnings } = await this.requests.count(turn.requestId, turn.worker);
    if (errors > 0) return failed(errors, `The staging tenant ${staging.alias} shows what was loaded.`);
    return valid(warnings, staging);
  }

  /** Checks that the staged rows exist: the tables are unlogged, and empty after a crash of the server. @throws ImportFailed */
  private async requireStaged(turn: ImportTurn): Promise<void> {
    const client = await this.database.session(turn.signal);
    try {
      if (await isIntact(client, turn.staging, await tableStates(client, turn.requestId))) return;
    } finally {
      await client.end();
    }
    throw new ImportFailed('The database was stopped, and the rows that were read are gone. Import again.');
  }

  private async stagingTenant({ requestId }: ImportTurn): Promise<RegisteredTenant> {
    const { rows } = await this.database.pool.query<RegisteredTenant>(
      `select ${tenantColumns('t')}
       from import.requests r join platform.tenants t on t.id = r.staging_tenant_id
       where r.id = $1`,
      [requestId],
    );
    return rows[0];
  }
}

function failed(errors: number, more: string): Ending {
  const message = `${errorsFound(errors)}: see the report. ${more} Correct the source, and import again.`;
  return { outcome: 'ValidationFailed', message };
}

function valid(warnings: number, { alias }: RegisteredTenant): Ending {
  const loaded = `The staging tenant ${alias} shows the import.`;
  if (warnings === 0) return { outcome: 'Validated', message: `No errors. ${loaded}` };
  const count = warnings === 1 ? '1 warning' : `${warnings} warnings`;
  return { outcome: 'ValidatedWithWarnings', message: `No errors, ${count}: see the report. ${loaded}` };
}
