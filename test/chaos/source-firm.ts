import { Client } from 'pg';
import { recordId } from '#import/records/record-id';
import { execute } from '../support/database';
import type { Figure, Firm } from '../support/firms/firm';
import { writeFirm } from '../support/firms/write-firm';
import type { ServerCertificate } from '../support/tds/certificate';
import { TdsServer } from '../support/tds/tds-server';

/** The source's name for its own system. */
const SYSTEM = 'Ledger & Quill';

/** A firm in a SQL Server. Its rows are in a database on the deployment's PostgreSQL server. */
export class SourceFirm {
  private constructor(
    readonly server: TdsServer,
    readonly firm: Firm,
    private readonly url: string,
  ) {}

  /** @param items the number of the firm's work items */
  static async open(deployment: string, certificate: ServerCertificate, items: number): Promise<SourceFirm> {
    await execute(deployment, 'create database source');
    const url = new URL(deployment);
    url.pathname = 'source';
    const client = new Client(url.href);
    await client.connect();
    try {
      const firm = await writeFirm(client, { items });
      const server = await TdsServer.start({ database: url.href, certificate });
      return new SourceFirm(server, firm, url.href);
    } finally {
      await client.end();
    }
  }

  /** The ids that three rows get in a tenant: one that is appended early, one midway, and the last one. */
  async arriving(tenant: string): Promise<[string, string, string]> {
    const [{ first, midway, last }] = await execute<Record<'first' | 'midway' | 'last', string>>(
      this.url,
      `select
         (select max("ImportId" collate "C") from etl."Division") as first,
         (select "ImportId" from etl."Invoice" order by "ImportId" collate "C"
          offset (select count(*) / 2 from etl."Invoice") limit 1) as midway,
         (select max("ImportId" collate "C") from etl."WorkItem" w where not exists (
           select from etl."InvoiceLine" l where l."WorkItemId" = w."ImportId")) as last`,
    );
    return [
      recordId(tenant, SYSTEM, 'Division', first),
      recordId(tenant, SYSTEM, 'Invoice', midway),
      recordId(tenant, SYSTEM, 'WorkItem', last),
    ];
  }

  /** The pennies of a table's rows, by the id of the row's record in the tenant (32 hexadecimal digits). */
  pennies(tenant: string, table: string, figures: Readonly<Record<string, Figure>>): Map<string, number> {
    return new Map(
      Object.entries(figures).map(([key, { amount }]) => [
        recordId(tenant, SYSTEM, table, key).split('_')[1],
        pennies(Number(amount)),
      ]),
    );
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

export function pennies(amount: number): number {
  return Math.round(amount * 100);
}
