import { Injectable } from '@nestjs/common';
import type { RegisteredTenant } from '#platform/auth/tenants';
import type { ImportRun } from '../import-run';
import type { ImportedRecord } from '../records/imported-record';
import { recordsOf } from '../records/records';
import { Arrivals } from './arrivals';
import { Endings } from './endings';
import { ImportedRecords } from './imported-records';
import { type Hindrance, Partings } from './partings';
import { PromotionGround } from './promotion-ground';

/** Some rows of an import that are as an import before has brought them, and changed ones that cannot arrive. */
export interface Compared {
  equal: { table: string; importId: string }[];
  hindrances: Hindrance[];
}

/** Compares the rows of an import, right or wrong, with those that imports before have brought to its tenant. */
@Injectable()
export class Comparison {
  constructor(
    private readonly ground: PromotionGround,
    private readonly arrivals: Arrivals,
    private readonly imported: ImportedRecords,
  ) {}

  /** Whether there is anything to compare with. */
  any(tenant: RegisteredTenant): Promise<boolean> {
    return this.imported.any(tenant);
  }

  /**
   * A row of which no record can be made is not equal to any: those that were brought could.
   * @param take is given some rows at a time
   * @returns why the first row that makes no record does not: the row is wrong, or the fault is ours
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
        // A row that makes no record is there all the same.
        if (fault !== undefined) return;
        await take({ equal: [], hindrances: partings.hindrances() });
        await take({ equal: [], hindrances: await endings.hindrances(client, run.tenant) });
      },
      unsound,
    );
    return fault;
  }
}
