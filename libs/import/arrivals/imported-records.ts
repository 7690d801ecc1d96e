import { Injectable } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { toUuid } from '#kernel/ids';
import { WriteDatabase } from '#platform/database';
import type { TenantRef } from '#platform/request-context';
import type { Digests } from '../records/imported-record';

/** The stored result of a row's promotion. */
export interface Imported {
  digest: Buffer;
  /** Null for rows that were promoted before this was stored. */
  cells: Buffer | null;
  /** The version of the record's stream after the promotion. */
  version: number;
}

/** The result of a row's promotion, to be stored for its record. */
export interface Left {
  id: string;
  digests: Digests;
  version: number;
  /** None, if the record had become what its changed row says already. */
  events: readonly unknown[];
}

/** The number of records that a promotion has created and changed. */
export interface PromotedCounts {
  created: number;
  changed: number;
}

/** The rows that promoted imports have brought to each tenant: by record, digests of the row. */
@Injectable()
export class ImportedRecords {
  constructor(private readonly database: WriteDatabase) {}

  /** The stored results for the given records, by id. A record that no import has brought has no entry. */
  async of({ id: tenantId }: TenantRef, ids: readonly string[]): Promise<Map<string, Imported>> {
    const uuids = ids.map(toUuid);
    const { rows } = await this.database.pool.query<Imported & { id: string }>(
      `select record_id as id, digest, cells, version from import.records
       where tenant_id = $1 and record_id = any($2::uuid[])`,
      [tenantId, uuids],
    );
    const byUuid = new Map(rows.map(({ id, ...imported }) => [id, imported]));
    return new Map(
      ids.flatMap((id, index) => {
        const imported = byUuid.get(uuids[index]);
        return imported ? [[id, imported]] : [];
      }),
    );
  }

  /** Whether an import was ever promoted to the tenant. */
  async any({ id: tenantId }: TenantRef): Promise<boolean> {
    const { rows } = await this.database.pool.query<{ any: boolean }>(
      'select exists (select from import.records where tenant_id = $1) as any',
      [tenantId],
    );
    return rows[0].any;
  }

  /** Stores rows as promoted. To be called in the transaction that appends their events. */
  async leave(
    client: ClientBase,
    { id: tenantId }: TenantRef,
    requestId: string,
    left: readonly Left[],
  ): Promise<void> {
    if (left.length === 0) return;
    await client.query(
      `insert into import.records as r (tenant_id, record_id, digest, cells, version, created_by, changed_by)
       select $1, l.id, l.digest, l.cells, l.version, $2, case when l.has_events then $2::uuid end
       from unnest($3::uuid[], $4::bytea[], $5::bytea[], $6::int[], $7::boolean[])
         l(id, digest, cells, version, has_events)
       on conflict (tenant_id, record_id) do update
         set digest = excluded.digest, cells = excluded.cells, version = excluded.version,
           changed_by = coalesce(excluded.changed_by, r.changed_by)`,
      [
        tenantId,
        requestId,
        left.map(({ id }) => toUuid(id)),
        left.map(({ digests }) => digests.digest),
        left.map(({ digests }) => digests.cells),
        left.map(({ version }) => version),
        left.map(({ events }) => events.length > 0),
      ],
    );
  }

  /** The number of records that a promotion has created and changed. */
  async counts({ id: tenantId }: TenantRef, requestId: string): Promise<PromotedCounts> {
    const { rows } = await this.database.pool.query<PromotedCounts>(
      `select count(*) filter (where created_by = $2)::int as created,
         count(*) filter (where changed_by = $2 and created_by <> $2)::int as changed
       from import.records where tenant_id = $1`,
      [tenantId, requestId],
    );
    return rows[0];
  }
}
