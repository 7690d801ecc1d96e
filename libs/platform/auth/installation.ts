import { Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { type Config, ConfigError, type Region } from '#platform/config';
import type { Secrets } from '#platform/secrets';
import { newKeyCheck, requireSameKey } from './key-check';

const DEFAULT_PARTITIONS = 12;

/** The settings that were fixed when this deployment was installed. A class, so that it is its own injection token. */
export class Installation {
  constructor(
    readonly id: string,
    readonly region: Region,
    /** Partitions of the feed. The first start decides: a later PARTITIONS changes nothing, as a warning says. */
    readonly partitions: number,
  ) {}

  /** The `aud` of this deployment's tokens: a token of another deployment is not accepted here. */
  get audience(): string {
    return `urn:practice-management:${this.id}`;
  }
}

/**
 * The installation of this database, recorded on the first start.
 * @throws ConfigError when REGION or SECRETS_KEY is not the one that it was installed with
 */
export async function ensureInstallation(
  pool: Pool,
  config: Pick<Config, 'REGION' | 'PARTITIONS'>,
  secrets: Secrets,
): Promise<Installation> {
  const { id, region, partitions } = (await installed(pool)) ?? (await install(pool, config, secrets));
  if (region !== config.REGION)
    throw new ConfigError([
      `REGION is ${config.REGION}, but this database was installed for ${region}; a deployment serves one region`,
    ]);
  await requireSameKey(pool, secrets);
  if (config.PARTITIONS !== undefined && config.PARTITIONS !== partitions)
    new Logger(Installation.name).warn(
      `PARTITIONS is ${config.PARTITIONS}, but this database was installed with ${partitions}, which still holds`,
    );
  return new Installation(id, region, partitions);
}

type Row = Pick<Installation, 'id' | 'region' | 'partitions'>;

async function installed(pool: Pool): Promise<Row | undefined> {
  const { rows } = await pool.query<Row>('select id, region, partitions from platform.installation');
  return rows[0];
}

/** Records the installation, unless another process has just done so. */
async function install(
  pool: Pool,
  config: Pick<Config, 'REGION' | 'PARTITIONS'>,
  secrets: Secrets,
): Promise<Row> {
  await pool.query(
    'insert into platform.installation (region, partitions, key_check) values ($1, $2, $3) on conflict do nothing',
    [config.REGION, config.PARTITIONS ?? DEFAULT_PARTITIONS, newKeyCheck(secrets)],
  );
  return (await installed(pool))!;
}
