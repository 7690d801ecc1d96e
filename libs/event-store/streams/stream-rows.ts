import type { ClientBase } from 'pg';
import { keyColumns, linkColumns } from '#event-store/append/append-job';
import type { Claims } from './stream-claims';

/** A row of `event_store.streams` without its tenant. */
export interface StreamRow {
  streamId: string;
  kind: string;
  version: number;
  /** JSON */
  state: string;
  stateVersion: number;
}

/** Writes what the store derives from events. The caller has exclusive access to the tenant, like a bulk append. */
export class StreamRows {
  constructor(
    private readonly client: ClientBase,
    private readonly tenantId: number,
  ) {}

  async write(rows: readonly StreamRow[]): Promise<void> {
    await this.query(
      `insert into event_store.streams as t (tenant_id, stream_id, kind, version, state, state_version)
       select $1, s.stream_id, s.kind, s.version, s.state::json, s.state_version
       from unnest($2::uuid[], $3::text[], $4::integer[], $5::text[], $6::smallint[])
         as s(stream_id, kind, version, state, state_version)
       on conflict (tenant_id, stream_id) do update
         set kind = excluded.kind, version = excluded.version, state = excluded.state,
           state_version = excluded.state_version`,
      [
        rows.map(({ streamId }) => streamId),
        rows.map(({ kind }) => kind),
        rows.map(({ version }) => version),
        rows.map(({ state }) => state),
        rows.map(({ stateVersion }) => stateVersion),
      ],
    );
  }

  /** @returns the number of removed rows */
  remove(streamIds: readonly string[]): Promise<number> {
    return this.query(
      'delete from event_store.streams where tenant_id = $1 and stream_id = any($2::uuid[])',
      [streamIds],
    );
  }

  async claim({ links, keys }: Claims): Promise<void> {
    await this.query(
      `insert into event_store.links (tenant_id, target, kind, source)
       select $1, e.* from unnest($2::uuid[], $3::text[], $4::uuid[]) as e(target, kind, source)`,
      linkColumns(links),
    );
    await this.query(
      `insert into event_store.reservations (tenant_id, kind, key, stream_id)
       select $1, e.* from unnest($2::text[], $3::text[], $4::uuid[]) as e(kind, key, stream_id)`,
      keyColumns(keys),
    );
  }

  /** @returns the number of removed links and reservations */
  async unclaim({ links, keys }: Claims): Promise<number> {
    // Looked up row by row, because the planner could choose a join that reads all rows of the tenant.
    const unlinked = await this.query(
      `delete from event_store.links where ctid = any(array(
         select l.ctid from unnest($2::uuid[], $3::text[], $4::uuid[]) as e(target, kind, source)
         cross join lateral (
           select ctid from event_store.links
           where tenant_id = $1 and target = e.target and kind = e.kind and source = e.source offset 0
         ) l))`,
      linkColumns(links),
    );
    const released = await this.query(
      `delete from event_store.reservations where ctid = any(array(
         select r.ctid from unnest($2::text[], $3::text[], $4::uuid[]) as e(kind, key, stream_id)
         cross join lateral (
           select ctid from event_store.reservations
           where tenant_id = $1 and kind = e.kind and key = e.key and stream_id = e.stream_id offset 0
         ) r))`,
      keyColumns(keys),
    );
    return unlinked + released;
  }

  /** Runs a statement with parallel columns of values; without rows it is skipped. */
  private async query(text: string, columns: readonly (readonly unknown[])[]): Promise<number> {
    if (columns[0].length === 0) return 0;
    return (await this.client.query(text, [this.tenantId, ...columns])).rowCount ?? 0;
  }
}
