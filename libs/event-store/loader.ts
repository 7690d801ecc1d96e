import { Injectable } from '@nestjs/common';
import type { Pool, QueryConfig } from 'pg';
import { type Id, type Kind, kindOf, toId, toUuid } from '#kernel/ids';
import { WriteDatabase } from '#platform/database';
import { Coalescer } from './append/coalescer';
import { Codec, EVENT_COLUMNS, type EventRow } from './codec';
import { type AnyDefinition, EVENTS_AT_ONCE, type Folded, fold, type RecordedEvent } from './events';
import {
  type AnswersTo,
  type Ask,
  type LoadJob,
  type LoadRow,
  loadStatement,
  questionsOf,
  type Repeat,
  type StateRow,
} from './load';
import { fromStore } from './outage';
import { type Position, parsePosition } from './position';

type Read = <Row extends object>(database: Pick<Pool, 'query'>, statement: QueryConfig) => Promise<Row[]>;

const KEYS_AT_ONCE = 100;

/** Reads current state. Concurrent loads of a process share one query. */
@Injectable()
export class Loader {
  private readonly coalescer: Coalescer<LoadJob, unknown[]>;

  constructor(
    private readonly database: WriteDatabase,
    private readonly codec: Codec,
  ) {
    this.coalescer = new Coalescer((jobs) => this.run(jobs), { lanes: 2 });
  }

  load<const Asks extends readonly Ask<unknown>[]>(tenantId: number, asks: Asks): Promise<AnswersTo<Asks>> {
    return this.coalescer.submit({ tenantId, asks }) as Promise<AnswersTo<Asks>>;
  }

  /**
   * Reads a limited number of events of one stream, oldest first.
   * @param read carries out the statement
   */
  async page(
    tenantId: number,
    streamId: string,
    { after, limit }: { after: number; limit: number },
    read: Read = async (database, statement) => (await database.query(statement)).rows,
  ): Promise<RecordedEvent[]> {
    const rows = await read<EventRow>(this.database.pool, {
      text: `select ${EVENT_COLUMNS} from event_store.events e
        where e.tenant_id = $1 and e.stream_id = $2 and e.version > $3 order by e.version limit $4`,
      values: [tenantId, streamId, after, limit],
    });
    return rows.map((row) => this.codec.decodeEvent(row));
  }

  /** Yields the events of one stream, oldest first, as many at a time as fit into memory. */
  async *parts(
    tenantId: number,
    streamId: string,
    { after = 0, upTo = Number.POSITIVE_INFINITY }: { after?: number; upTo?: number } = {},
  ): AsyncGenerator<RecordedEvent[]> {
    let last = after;
    while (last < upTo) {
      const limit = Math.min(EVENTS_AT_ONCE, upTo - last); // the versions of a stream have no gaps
      const events = await this.page(tenantId, streamId, { after: last, limit });
      if (events.length > 0) yield events;
      if (events.length < limit) return;
      last += events.length;
    }
  }

  /** The ids of all records of a kind of which a tenant has few; those of deleted records, too. */
  async idsOf<K extends Kind>(tenantId: number, kind: K): Promise<Id<K>[]> {
    const { rows } = await this.database.pool.query<{ stream_id: string }>(
      'select stream_id from event_store.streams where tenant_id = $1 and kind = $2',
      [tenantId, kind],
    );
    return rows.map((row) => toId(kind, row.stream_id));
  }

  /** Yields all natural keys of a kind that a tenant's streams hold, in their order, some at a time. */
  async *keysOf(tenantId: number, kind: string): AsyncGenerator<string[]> {
    for (let after = ''; ; ) {
      const { rows } = await this.database.pool.query<{ key: string }>(
        `select key from event_store.reservations where tenant_id = $1 and kind = $2 and key > $3
         order by key limit ${KEYS_AT_ONCE}`,
        [tenantId, kind, after],
      );
      if (rows.length === 0) return;
      yield rows.map(({ key }) => key);
      after = rows[rows.length - 1].key;
    }
  }

  /** The version of a record; 0 if there is no record of that id and kind. */
  async versionOf(tenantId: number, id: Id): Promise<number> {
    const { rows } = await this.database.pool.query<{ version: number }>(
      'select version from event_store.streams where tenant_id = $1 and stream_id = $2 and kind = $3',
      [tenantId, toUuid(id), kindOf(id)],
    );
    return rows[0]?.version ?? 0;
  }

  /** The position of the last of several events, each identified by its stream and version. */
  async positionOf(
    tenantId: number,
    events: readonly { id: Id; version: number }[],
  ): Promise<Position | undefined> {
    const { rows } = await this.database.pool.query<{ at: string }>(
      `select e.epoch || '.' || e.transaction_id || '.' || e.position as at
       from unnest($2::uuid[], $3::int[]) as a(stream, version)
       join event_store.events e on e.tenant_id = $1 and e.stream_id = a.stream and e.version = a.version
       order by e.epoch desc, e.transaction_id desc, e.position desc limit 1`,
      [tenantId, events.map(({ id }) => toUuid(id)), events.map(({ version }) => version)],
    );
    return rows[0] && parsePosition(rows[0].at);
  }

  /** Folds a stream from its events, up to a version (by default the latest). */
  async foldEvents(
    definition: AnyDefinition,
    tenantId: number,
    streamId: string,
    upTo?: number,
  ): Promise<Folded | undefined> {
    let folded: Folded | undefined;
    for await (const events of this.parts(tenantId, streamId, { upTo }))
      for (const recorded of events) folded = fold(definition, folded, recorded);
    return folded;
  }

  private async run(jobs: LoadJob[]): Promise<(unknown[] | Error)[]> {
    const questions = questionsOf(jobs);
    const { rows } = await fromStore(
      () => this.database.pool.query<LoadRow>(loadStatement(questions)),
      'The event store does not answer; nothing was changed.',
    );
    const byNumber = new Map<number, LoadRow[]>();
    const closed = new Map<number, string>();
    for (const row of rows) {
      if (row.n === null) {
        closed.set(Number(row.value), row.kind!);
        continue;
      }
      const found = byNumber.get(row.n);
      if (found) found.push(row);
      else byNumber.set(row.n, [row]);
    }
    const answers = await Promise.all(
      questions.distinct.map(({ tenantId, ask }, number) =>
        ask.section === 'closed'
          ? closed.get(tenantId)
          : this.settled(tenantId, ask, byNumber.get(number) ?? []),
      ),
    );
    return questions.numbers.map((numbers) => {
      const own = numbers.map((number) => answers[number]);
      return own.find((answer) => answer instanceof Error) ?? own;
    }) as (unknown[] | Error)[];
  }

  /** Answers a question. An error becomes the answer, so that it fails only the commands that asked this question. */
  private async settled(tenantId: number, ask: Ask<unknown>, rows: LoadRow[]): Promise<unknown> {
    try {
      if (!ask.many) return await this.answer(tenantId, ask, rows[0]);
      const found = await Promise.all(rows.map((row) => this.stream(ask.definition!, tenantId, row)));
      return found.filter((folded) => folded !== undefined);
    } catch (error) {
      return error;
    }
  }

  private answer(tenantId: number, ask: Ask<unknown>, row: LoadRow | undefined): unknown {
    switch (ask.section) {
      case 'none':
        return undefined;
      case 'links':
      case 'counters':
        return Number(row?.value ?? 0);
      case 'keys':
        return row?.stream_id ?? undefined;
      case 'repeats':
        return row && ({ hash: row.wrapped, ...row.state } as Repeat);
      default:
        return row && this.stream(ask.definition!, tenantId, row);
    }
  }

  private stream(
    definition: AnyDefinition,
    tenantId: number,
    row: LoadRow,
  ): Folded | undefined | Promise<Folded | undefined> {
    // Ids of another kind are refused earlier. A stream of another kind under this id does not answer the question.
    if (row.kind !== definition.kind) return undefined;
    if (row.state_version !== definition.foldVersion) {
      return this.foldEvents(definition, tenantId, row.stream_id!, row.version!).then(
        (folded) => folded && { ...folded, wrapped: row.wrapped ?? undefined },
      );
    }
    return this.codec.decodeState(definition, row as StateRow);
  }
}
