import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { RepeatableRequests, sealedRepeats } from '#platform/http/repeatable-requests';
import { Secrets } from '#platform/secrets';

const TABLE = 'import.repeats';

export const sealedImportRepeats = sealedRepeats(TABLE);

/** Executes the requests that queue, promote or cancel imports, once for each Idempotency-Key. */
@Injectable()
export class ImportRepeats extends RepeatableRequests {
  constructor(database: WriteDatabase, secrets: Secrets, clock: Clock) {
    super(TABLE, database, secrets, clock);
  }
}
