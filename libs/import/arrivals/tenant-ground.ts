import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { Clock } from '#kernel/clock';
import type { DomainError } from '#kernel/errors';
import { WriteDatabase } from '#platform/database';
import type { ImportRun } from '../import-run';
import { ExistingRecords, learnExisting } from '../records/existing-records';
import type { Ground } from '../records/imported-record';
import { groundOf } from '../records/records';
import { OwnRecords, referredRecords } from '../records/references';
import { prepare } from '../records/staging-rows';

/** Reads the rows of an import against its tenant. */
@Injectable()
export class TenantGround {
  constructor(
    private readonly existing: ExistingRecords,
    private readonly database: WriteDatabase,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `work` with the ground against which the rows are read, on a database session of its own.
   * @param refused see referredRecords
   * @throws the reason of the run's signal; DomainError `part_of_existing`
   */
  async reading<Result>(
    { tenant, staging, signal }: Pick<ImportRun, 'tenant' | 'staging' | 'signal'>,
    work: (client: Client, ground: Ground) => Promise<Result>,
    refused?: (error: DomainError) => void,
  ): Promise<Result> {
    const client = await this.database.session(signal);
    try {
      await prepare(client, staging);
      const ground = await groundOf(client, { tenant, staging, signal }, this.existing, this.clock.now());
      const own = new OwnRecords(client, staging, ground.ids);
      const referred = await referredRecords(client, staging, refused);
      const ids = [...(await this.existing.foundations(tenant)), ...referred];
      for await (const one of this.existing.withReferences(tenant, ids, own, signal))
        learnExisting(ground.known, one);
      return await work(client, ground);
    } catch (error) {
      // Work that was aborted may fail with any error; the signal's reason is the cause.
      signal.throwIfAborted();
      throw error;
    } finally {
      await client.end();
    }
  }
}
