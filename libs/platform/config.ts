import { join } from 'node:path';
import { plainToInstance, Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateIf,
  validateSync,
} from 'class-validator';

export type Region = 'uk' | 'au';

const postgresUrl = { protocols: ['postgres', 'postgresql'], require_protocol: true, require_tld: false };

/** The whole environment of every process. Each property is an environment variable of the same name. */
export class Config {
  @IsIn(['development', 'production', 'test'])
  NODE_ENV: 'development' | 'production' | 'test' = 'development';

  /** Region that this deployment serves; sets what a new tenant starts with. */
  @IsIn(['uk', 'au'])
  REGION: Region = 'uk';

  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(65535)
  PORT = 8080;

  /** Address to listen on. Loopback unless told otherwise. */
  @IsString()
  HOST = '127.0.0.1';

  /** Base address as clients see it; default http://HOST:PORT. Written into tokens and metadata. */
  @IsOptional()
  @IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true })
  PUBLIC_URL?: string;

  /** PostgreSQL of the event store. `local` starts an embedded one when absent. */
  @IsOptional()
  @IsUrl(postgresUrl, { message: 'DATABASE_URL must be a postgres:// URL' })
  DATABASE_URL?: string;

  /** PostgreSQL of the read models; default DATABASE_URL. */
  @IsOptional()
  @IsUrl(postgresUrl, { message: 'READ_DATABASE_URL must be a postgres:// URL' })
  READ_DATABASE_URL?: string;

  /** Folder of the embedded database and the development key. */
  @IsString()
  DATA_DIR = '.data';

  /** Folder of the documents' bytes, which all processes share; default `documents` in DATA_DIR. */
  @IsOptional()
  @IsString()
  DOCUMENTS_DIR?: string;

  /** Minutes after which bytes that no document has are removed: longer than any upload takes. */
  @Type(() => Number)
  @IsInt()
  @Min(30)
  @Max(100_000)
  DOCUMENTS_ORPHAN_MINUTES = 60;

  /** 32 bytes, base64. Encrypts secrets and wraps the keys of personal data. `local` makes one in DATA_DIR. */
  @IsOptional()
  @Matches(/^[A-Za-z0-9+/]{43}=$/, { message: 'SECRETS_KEY must be 32 bytes in base64' })
  SECRETS_KEY?: string;

  /** Connections of each pool. */
  @Type(() => Number)
  @IsInt()
  @Min(2)
  @Max(200)
  DATABASE_POOL = 10;

  /** Partitions of the feed, fixed at installation. */
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1024)
  PARTITIONS = 12;

  /** Events that a projection folds in one transaction. */
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(10000)
  PROJECTION_BATCH = 2000;

  /** What carries events to their consumers: the store's own feed, or Kafka. */
  @IsIn(['postgres', 'kafka'])
  EVENT_BUS: 'postgres' | 'kafka' = 'postgres';

  /** `host:port` of Kafka's brokers, with commas between; needed when EVENT_BUS=kafka. */
  @IsOptional()
  @Matches(/^[^\s:,]+:\d{1,5}(,[^\s:,]+:\d{1,5})*$/, { message: 'KAFKA_BROKERS must be host:port,host:port' })
  KAFKA_BROKERS?: string;

  /** `true`: brokers are spoken to over TLS. NODE_EXTRA_CA_CERTS adds certificates that Node does not know. */
  @IsIn(['true', 'false'])
  KAFKA_TLS: 'true' | 'false' = 'false';

  /** How to log in to the brokers, with KAFKA_USERNAME and KAFKA_PASSWORD; not at all without it. */
  @IsOptional()
  @IsIn(['plain', 'scram-sha-256', 'scram-sha-512'])
  KAFKA_SASL?: 'plain' | 'scram-sha-256' | 'scram-sha-512';

  @ValidateIf(({ KAFKA_SASL }: Config) => KAFKA_SASL !== undefined)
  @IsString()
  @MinLength(1)
  KAFKA_USERNAME?: string;

  @ValidateIf(({ KAFKA_SASL }: Config) => KAFKA_SASL !== undefined)
  @IsString()
  @MinLength(1)
  KAFKA_PASSWORD?: string;

  /** Topic that the events are published to; names the consumer groups too. */
  @Matches(/^[a-zA-Z0-9._-]{1,200}$/, { message: 'KAFKA_TOPIC must be a name that Kafka takes' })
  KAFKA_TOPIC = 'practice.events.v1';

  /** Copies of each partition that Kafka keeps, for a topic that this service creates. */
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(9)
  KAFKA_REPLICATION = 1;

  /** Base address of an OpenTelemetry collector (OTLP over HTTP); no traces are made without it. */
  @IsOptional()
  @IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true })
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  /** Headers of what is sent to the collector: `name=value,name=value`, values percent-encoded. */
  @IsOptional()
  @IsString()
  OTEL_EXPORTER_OTLP_HEADERS?: string;

  /** Part of the requests that are traced, 0 to 1, where the caller has not decided. */
  @Type(() => Number)
  @IsNumber()
  @Min(0)
  @Max(1)
  OTEL_TRACES_SAMPLER_ARG = 1;

  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
  LOG_LEVEL: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent' = 'info';

  /** Number of reverse proxies in front whose X-Forwarded-For is believed. */
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(10)
  TRUSTED_PROXIES = 0;

  /** `true`: webhooks may go to http addresses and to this machine, on any port. Refused in production. */
  @IsIn(['true', 'false'])
  WEBHOOKS_ALLOW_INSECURE: 'true' | 'false' = 'false';

  /** Where webhooks may go beside the public internet: `host`, `host:port` or CIDR, with commas between. */
  @IsOptional()
  @Matches(/^[^\s,]+(,[^\s,]+)*$/, { message: 'WEBHOOKS_ALLOWED must be host,host:port,CIDR' })
  WEBHOOKS_ALLOWED?: string;

  /** Days for which deliveries are kept, and can be looked up and sent again. */
  @Type(() => Number)
  @IsInt()
  @Min(4)
  @Max(400)
  WEBHOOKS_LOG_DAYS = 30;

  /** Where the SQL Server of an import may be beside the public internet: `host`, `host:port` or CIDR, with commas between. */
  @IsOptional()
  @Matches(/^[^\s,]+(,[^\s,]+)*$/, { message: 'IMPORT_ALLOWED must be host,host:port,CIDR' })
  IMPORT_ALLOWED?: string;

  /** `true`: imports may ask for a connection without encryption, and to this machine. Refused in production. */
  @IsIn(['true', 'false'])
  IMPORT_ALLOW_INSECURE: 'true' | 'false' = 'false';

  /** File of certificates, PEM, that those of the SQL Servers are checked against beside the well-known ones. */
  @IsOptional()
  @IsString()
  IMPORT_CA_FILE?: string;

  /** Connection string of a source, for the command `import run`: a variable is in no list of processes. */
  @IsOptional()
  @IsString()
  IMPORT_CONNECTION?: string;

  get publicUrl(): string {
    return this.PUBLIC_URL ?? `http://${this.HOST}:${this.PORT}`;
  }

  get databaseUrl(): string {
    if (!this.DATABASE_URL) throw new ConfigError(['DATABASE_URL is required']);
    return this.DATABASE_URL;
  }

  get readDatabaseUrl(): string {
    return this.READ_DATABASE_URL ?? this.databaseUrl;
  }

  get documentsDir(): string {
    return this.DOCUMENTS_DIR ?? join(this.DATA_DIR, 'documents');
  }

  get kafkaBrokers(): string[] {
    if (!this.KAFKA_BROKERS) throw new ConfigError(['KAFKA_BROKERS is required when EVENT_BUS=kafka']);
    return this.KAFKA_BROKERS.split(',');
  }

  get secretsKey(): Buffer {
    if (!this.SECRETS_KEY) throw new ConfigError(['SECRETS_KEY is required (32 bytes, base64)']);
    return Buffer.from(this.SECRETS_KEY, 'base64');
  }
}

/** The process's settings are wrong; `problems` has one line for each fault. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(`Configuration: ${problems.join('; ')}`);
  }
}

/**
 * Reads and checks the environment.
 * @throws ConfigError with every fault at once
 */
export function loadConfig(environment: Record<string, string | undefined> = process.env): Config {
  const known = Object.keys(new Config()).concat(
    'PUBLIC_URL',
    'DATABASE_URL',
    'READ_DATABASE_URL',
    'DOCUMENTS_DIR',
    'SECRETS_KEY',
    'KAFKA_BROKERS',
    'KAFKA_SASL',
    'KAFKA_USERNAME',
    'KAFKA_PASSWORD',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'WEBHOOKS_ALLOWED',
    'IMPORT_ALLOWED',
    'IMPORT_CA_FILE',
    'IMPORT_CONNECTION',
  );
  const given = Object.fromEntries(
    known
      .filter((name) => environment[name] !== undefined && environment[name] !== '')
      .map((name) => [name, environment[name]]),
  );
  const config = plainToInstance(Config, given, { exposeDefaultValues: true });
  const problems = validateSync(config).flatMap((error) => Object.values(error.constraints ?? {}));
  if (config.EVENT_BUS === 'kafka' && !config.KAFKA_BROKERS)
    problems.push('KAFKA_BROKERS is required when EVENT_BUS=kafka');
  if (config.NODE_ENV === 'production') {
    if (!config.DATABASE_URL)
      problems.push(
        'DATABASE_URL is required when NODE_ENV=production (the embedded database is for development)',
      );
    if (!config.SECRETS_KEY) problems.push('SECRETS_KEY is required when NODE_ENV=production');
    if (config.WEBHOOKS_ALLOW_INSECURE === 'true')
      problems.push('WEBHOOKS_ALLOW_INSECURE is refused when NODE_ENV=production');
    if (config.IMPORT_ALLOW_INSECURE === 'true')
      problems.push('IMPORT_ALLOW_INSECURE is refused when NODE_ENV=production');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}
