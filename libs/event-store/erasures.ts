import { Injectable } from '@nestjs/common';
import { WriteDatabase } from '#platform/database';
import { Codec, EVENT_COLUMNS, type EventRow } from './codec';
import type { RecordedEvent } from './events';

/** What the store remembers of those whose key was destroyed. */
@Injectable()
export class Erasures {
  /** The condition of the index on them, word for word, or it is not used. */
  private readonly isErasure: string;

  constructor(
    private readonly database: WriteDatabase,
    private readonly codec: Codec,
  ) {
    const types = codec.definitions.all.flatMap(({ personal }) => personal?.erasure ?? []);
    this.isErasure = types.length > 0 ? `e.type in (${types.map((type) => `'${type}'`).join()})` : 'false';
  }

  /** The events that erased somebody, of all tenants, in the order of their streams. */
  async recorded(): Promise<RecordedEvent[]> {
    const { rows } = await this.database.pool.query<EventRow>(
      `select ${EVENT_COLUMNS} from event_store.events e
       where ${this.isErasure} order by e.tenant_id, e.stream_id, e.version`,
    );
    return rows.map((row) => this.codec.decodeEvent(row));
  }

  /**
   * The events that erased somebody in one tenant who is still known in a copy of it.
   * @param copies ids of both; a subject has the same id in either
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

  /**
   * Destroys the keys that are there although their subjects were erased: where part of a backup was restored.
   * @returns how many there were
   */
  async repeat(): Promise<number> {
    const { rowCount } = await this.database.pool.query(
      `update event_store.subject_keys k set wrapped = null from event_store.events e
       where ${this.isErasure} and k.tenant_id = e.tenant_id and k.subject = e.stream_id and k.wrapped is not null`,
    );
    return rowCount ?? 0;
  }
}
