import { Injectable } from '@nestjs/common';
import { type DomainError, invalid } from '#kernel/errors';
import { Config } from '#platform/config';
import { type Destination, Openings } from '#platform/net/openings';
import { refusedString } from './connection-string';

/** Lower ports belong to well-known internet services; no SQL Server listens there. */
const FIRST_PORT = 1024;

/** Decides at which hosts a source may be, and whether it may be read without encryption. */
@Injectable()
export class SourceHosts {
  private readonly openings: Openings;
  private readonly allowsInsecure: boolean;

  constructor(config: Config) {
    this.allowsInsecure = config.IMPORT_ALLOW_INSECURE === 'true';
    this.openings = new Openings({
      allowLoopback: this.allowsInsecure,
      allowed: config.IMPORT_ALLOWED?.split(',') ?? [],
      isUsualPort: (port) => port >= FIRST_PORT,
    });
  }

  /**
   * Checks everything that can be checked without resolving a name.
   * @throws DomainError `invalid_connection_string`, `host_not_allowed`
   */
  check({ encrypt, ...to }: Destination & { encrypt: boolean | 'strict' }): void {
    if (encrypt === false && !this.allowsInsecure)
      throw refusedString('Encrypt must be true or strict: the connection is always encrypted.');
    if (this.openings.refusesHost(to))
      throw notAllowed('Server must be a host of the public internet, or one that the operator allows.');
    if (!this.openings.allowsPort(to))
      throw notAllowed(`The port of Server must be ${FIRST_PORT} or above, or one that the operator allows.`);
  }

  /** Whether the given address of the host may be connected to. */
  allows(to: Destination, address: string): boolean {
    return this.openings.allowsPort(to) && this.openings.refusal(to, address) === undefined;
  }
}

function notAllowed(detail: string): DomainError {
  return invalid('host_not_allowed', detail, 'connectionString');
}
