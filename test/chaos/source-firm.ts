import { Client } from 'pg';
import { recordId } from '#import/records/record-id';
import { execute } from '../support/database';
import type { Figure, Firm } from '../support/firms/firm';
import { writeFirm } from '../support/firms/write-firm';
import type { ServerCertificate } from '../support/tds/certificate';
import { TdsServer } from '../support/tds/tds-server';

/** As the firm's own database calls itself. */
const SYSTEM = 'Ledger & Quill';

/** A firm in a SQL Server, whose rows are in a database of the deployment's own PostgreSQL. */
export class SourceFirm {
  private constructor(
    readonly server: TdsServer,
    readonly firm: Firm,
    private readonly url: string,
  ) {}

  /** @param items work items */
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

  /** The ids that three of its rows become in a tenant: of one that arrives early, midway, and last. */
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

  /** Pennies by what rows of a table become in a tenant: 32 hexadecimal digits. */
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
