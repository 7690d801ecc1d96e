import { Injectable } from '@nestjs/common';
import { WriteDatabase } from '#platform/database';
import { Codec, EVENT_COLUMNS, type EventRow } from './codec';
import type { RecordedEvent } from './events';
import type { Position } from './position';

/** Reads erasures, the events that destroyed a subject's key, and repeats them. */
@Injectable()
export class Erasures {
  /** The types of the events that destroy a key. */
  readonly eventTypes: readonly string[];
  /** The condition of the index on erasure events. It must match the index word for word, or the index is not used. */
  private readonly isErasure: string;

  constructor(
    private readonly database: WriteDatabase,
    private readonly codec: Codec,
  ) {
    const types = codec.definitions.all.flatMap(({ personal }) => personal?.erasure ?? []);
    this.eventTypes = types;
    this.isErasure = types.length > 0 ? `e.type in (${types.map((type) => `'${type}'`).join()})` : 'false';
  }

  /** The erasure events of all tenants, in the order of their streams. */
  async recorded(): Promise<RecordedEvent[]> {
    const { rows } = await this.database.pool.query<EventRow>(
      `select ${EVENT_COLUMNS} from event_store.events e
       where ${this.isErasure} order by e.tenant_id, e.stream_id, e.version`,
    );
    return rows.map((row) => this.codec.decodeEvent(row));
  }

  /**
   * The erasure events of tenants whose subjects still have their key in a copy of the tenant.
   * @param copies ids of the original and the copy; a subject has the same id in both
   */
  async unrepeatedIn(
    copies: readonly { original: number; copy: number }[],
  ): Promise<{ copy: number; erasure: RecordedEvent }[]> {
    const { rows } = await this.database.pool.query<EventRow & { copy: number }>(
      `select c.copy, ${EVENT_COLUMNS} from unnest($1::int[], $2::int[]) c(original, copy)
       join event_store.events e on e.tenant_id = c.original
       join event_store.subject_keys k on k.tenant_id = c.copy and k.subject = e.stream_id
       where ${this.isErasure} and k.wrapped is not null order by c.copy, e.stream_id`,
      [copies.map(({ original }) => original), copies.map(({ copy }) => copy)],
    );
    return rows.map((row) => ({ copy: row.copy, erasure: this.codec.decodeEvent(row) }));
  }

  /** A tenant's streams whose erasure comes after a position of the feed. */
  async after(tenantId: number, { epoch, transactionId, position }: Position): Promise<string[]> {
    const { rows } = await this.database.pool.query<{ stream: string }>(
      `select e.stream_id as stream from event_store.events e
       where ${this.isErasure} and e.tenant_id = $1
         and (e.epoch, e.transaction_id, e.position) > ($2, $3::xid8, $4)`,
      [tenantId, epoch, transactionId, position],
    );
    return rows.map(({ stream }) => stream);
  }

  /**
   * Destroys keys that exist although their subjects were erased, as after part of a backup was restored.
   * @returns the number of keys destroyed
   */
  async repeat(): Promise<number> {
    const { rowCount } = await this.database.pool.query(
      `update event_store.subject_keys k set wrapped = null from event_store.events e
       where ${this.isErasure} and k.tenant_id = e.tenant_id and k.subject = e.stream_id and k.wrapped is not null`,
    );
    return rowCount ?? 0;
  }
}
