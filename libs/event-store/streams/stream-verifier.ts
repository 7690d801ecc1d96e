import { Injectable } from '@nestjs/common';
import { WriteDatabase } from '#platform/database';
import { StreamFindings, type StreamReport } from './stream-findings';
import { StreamPages } from './stream-pages';

export interface Verified extends StreamReport {
  streams: number;
  /** Number of streams whose state an earlier fold version made; there is nothing wrong with them. */
  outdated: number;
}

/** Verifies that what the store keeps of streams is the result of folding their events. */
@Injectable()
export class StreamVerifier {
  constructor(
    private readonly database: WriteDatabase,
    private readonly pages: StreamPages,
  ) {}

  /**
   * Refolds every stream of one tenant, or of all, and compares kind, version, state, links and reservations.
   * @throws DomainError tenant_not_found
   */
  async verify(alias?: string): Promise<Verified> {
    const client = await this.database.session();
    const findings = new StreamFindings();
    let [streams, outdated] = [0, 0];
    try {
      for await (const tenant of this.pages.tenants(client, alias)) {
        for await (const page of this.pages.streams(client, tenant.id)) {
          streams += page.length;
          outdated += page.filter((audited) => audited.outdated).length;
          for (const audited of page) findings.add(tenant, audited, audited.differences);
        }
        for await (const page of this.pages.unfounded(client, tenant.id)) findings.addUnfounded(tenant, page);
      }
    } finally {
      await client.end();
    }
    return { streams, outdated, ...findings.report() };
  }
}
