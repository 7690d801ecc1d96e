import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { Injectable } from '@nestjs/common';
import { Config, ConfigError } from '#platform/config';
import { systemResolve } from '#platform/net/resolve';
import { ImportSettings } from '../import-settings';
import { SourceConnection } from './source-connection';
import { SourceHosts } from './source-hosts';
import { readSettings } from './source-settings';

const RESOLVE_MS = 5_000;

/** Opens customers' databases. */
@Injectable()
export class Sources {
  private readonly resolve = systemResolve({ timeoutMs: RESOLVE_MS });

  constructor(
    private readonly hosts: SourceHosts,
    private readonly config: Config,
    private readonly settings: ImportSettings,
  ) {}

  /**
   * Opens a customer's database.
   * @throws SourceFailure; DomainError when the operator allows less than when the import was requested
   */
  async open(connectionString: string, signal: AbortSignal): Promise<SourceConnection> {
    const ca = await readAuthorities(this.config.IMPORT_CA_FILE);
    const { hosts, resolve } = this;
    const settings = readSettings(connectionString, hosts);
    return SourceConnection.open(settings, { hosts, resolve, ca, stallMs: this.settings.stallMs, signal });
  }
}

/** Node's certificate authorities and those of the file. @throws ConfigError */
async function readAuthorities(file: string | undefined): Promise<string[] | undefined> {
  if (file === undefined) return undefined;
  const pem = await readFile(file, 'utf8').catch((error: Error) => {
    throw new ConfigError([`IMPORT_CA_FILE cannot be read: ${error.message}`]);
  });
  return [...rootCertificates, pem];
}
