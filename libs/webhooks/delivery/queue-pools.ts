import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { Config } from '#platform/config';
import { openPool } from '#platform/database';

/**
 * Each of these statements reads some rows by a key, again and again, from tables that were empty a moment ago: a plan
 * that was made then reads the whole table for each, until statistics are gathered anew.
 */
const ALONG_INDEXES = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

/** Connections of the statements that every delivery needs. Whoever sends ends them, last of all. */
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
