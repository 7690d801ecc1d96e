import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { Config } from '#platform/config';
import { openPool } from '#platform/database';

/**
 * Plans that use indexes only. Each of these statements reads a few rows by a key, again and again, from tables that
 * were empty a moment ago. A plan made then would scan the whole table each time, until statistics are gathered again.
 */
const ALONG_INDEXES = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

/**
 * Connection pools for the statements that every delivery needs. The dispatcher ends them, as the last step of its
 * shutdown.
 */
@Injectable()
export class QueuePools {
  readonly queue: Pool;
  readonly records: Pool;

  constructor(config: Config) {
    this.queue = openPool(config.databaseUrl, config, 'practice-management-webhooks', ALONG_INDEXES);
    this.records = openPool(config.readDatabaseUrl, config, 'practice-management-webhooks', ALONG_INDEXES);
  }

  async end(): Promise<void> {
    await Promise.all([this.queue.end(), this.records.end()]);
  }
}
