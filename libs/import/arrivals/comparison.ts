import { Injectable } from '@nestjs/common';
import type { RegisteredTenant } from '#platform/auth/tenants';
import type { ImportRun } from '../import-run';
import type { ImportedRecord } from '../records/imported-record';
import { recordsOf } from '../records/records';
import { Arrivals } from './arrivals';
import { Endings } from './endings';
import { ImportedRecords } from './imported-records';
import { type Hindrance, Partings } from './partings';
import { TenantGround } from './tenant-ground';

/** A page of an import's rows: those that are equal to what an earlier import brought, and changed ones that cannot arrive. */
export interface Compared {
  equal: { table: string; importId: string }[];
  hindrances: Hindrance[];
}

/** Compares the rows of an import, which may have errors, with those that earlier imports have brought to its tenant. */
@Injectable()
export class Comparison {
  constructor(
    private readonly ground: TenantGround,
    private readonly arrivals: Arrivals,
    private readonly imported: ImportedRecords,
  ) {}

  /** Whether an earlier import was promoted to the tenant. */
  any(tenant: RegisteredTenant): Promise<boolean> {
    return this.imported.any(tenant);
  }

  /**
   * Compares all rows. A row that makes no record differs from every earlier one, since those made records.
   * @param take receives the result page by page
   * @returns the error of the first row that makes no record, if any: the row is wrong, or it is a bug
   * @throws the reason of the run's signal
   */
  async compare(run: ImportRun, take: (some: Compared) => Promise<void>): Promise<unknown> {
    let fault: unknown;
    const unsound = (error: unknown) => {
      fault ??= error;
    };
    await this.ground.reading(
      run,
      async (client, ground) => {
        const records = recordsOf(client, run, ground, unsound);
        const [partings, endings] = [new Partings(), new Endings()];
        const seen = (record: ImportedRecord, state: object | null) => {
          partings.add(record, state);
          endings.add(record, state);
        };
        for await (const some of this.arrivals.compare(run.tenant, records, ground, unsound, seen))
          await take(some);
        // A row that makes no record may be the other side of a parting, so partings cannot be judged.
        if (fault !== undefined) return;
        await take({ equal: [], hindrances: partings.hindrances() });
        await take({ equal: [], hindrances: await endings.hindrances(client, run.tenant) });
      },
      unsound,
    );
    return fault;
  }
}
