import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type CustomTypesConfig, Pool, types } from 'pg';
import { Config } from './config';

/** `date` as 'YYYY-MM-DD': a Date would shift it by the machine's zone. int8 and numeric stay text, exact. */
const exactTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === types.builtins.DATE
      ? (text: string) => text
      : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

function openPool(url: string, config: Config, name: string): Pool {
  const pool = new Pool({
    connectionString: url,
    max: config.DATABASE_POOL,
    application_name: name,
    statement_timeout: 10_000,
    connectionTimeoutMillis: 5_000,
    types: exactTypes,
  });
  const logger = new Logger(name);
  // The pool drops an idle connection that broke; without a listener the event would end the process.
  pool.on('error', (error) => logger.warn(`Idle database connection lost: ${error.message}`));
  return pool;
}

/** Pool of the event store and the platform's tables. */
@Injectable()
export class WriteDatabase implements OnApplicationShutdown {
  readonly pool: Pool;

  constructor(config: Config) {
    this.pool = openPool(config.databaseUrl, config, 'practice-management-write');
  }

  onApplicationShutdown(): Promise<void> {
    return this.pool.end();
  }
}

/** Pool of the read models; its server may be another one. */
@Injectable()
export class ReadDatabase implements OnApplicationShutdown {
  readonly pool: Pool;

  constructor(config: Config) {
    this.pool = openPool(config.readDatabaseUrl, config, 'practice-management-read');
  }

  onApplicationShutdown(): Promise<void> {
    return this.pool.end();
  }
}
