import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { IntersectionType } from '@nestjs/swagger';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, IsIn, validateSync } from 'class-validator';
import { EventBusConfig } from './config/event-bus.config';
import { ObservabilityConfig } from './config/observability.config';
import { OutboundConfig } from './config/outbound.config';
import { ServingConfig } from './config/serving.config';
import { StorageConfig } from './config/storage.config';

export type Region = 'uk' | 'au';

/** The whole environment of every process. Each property is an environment variable of the same name. */
export class Config extends IntersectionType(
  ServingConfig,
  StorageConfig,
  EventBusConfig,
  ObservabilityConfig,
  OutboundConfig,
) {
  @IsIn(['development', 'production', 'test'])
  NODE_ENV: 'development' | 'production' | 'test' = 'development';

  /** The region that this deployment serves. It decides what a new tenant starts with. */
  @IsIn(['uk', 'au'])
  REGION: Region = 'uk';

  /** The base address on this machine, whatever the one is that clients see. */
  get localUrl(): string {
    const host = isIPv6(this.HOST) ? `[${this.HOST}]` : this.HOST;
    return `http://${host}:${this.PORT}`;
  }

  get publicUrl(): string {
    return this.PUBLIC_URL?.replace(/\/+$/, '') ?? this.localUrl;
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

  get secretsKeysAccepted(): Buffer[] {
    return (this.SECRETS_KEYS_ACCEPTED?.split(',') ?? []).map((key) => Buffer.from(key, 'base64'));
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
  const given = Object.fromEntries(
    variables()
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

/** The names of all variables. Every variable has a check, optional ones too. */
function variables(): string[] {
  const checks = getMetadataStorage().getTargetValidationMetadatas(Config, '', false, false);
  return [...new Set(checks.map(({ propertyName }) => propertyName))];
}
