import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { Pool, QueryConfig } from 'pg';
import { Loader } from '#event-store/loader';
import { parsePosition, toToken } from '#event-store/position';
import { notFound } from '#kernel/errors';
import { type Id, kindOf, toUuid } from '#kernel/ids';
import { ReadDatabase } from '#platform/database';
import { busy } from '#platform/database/tenant-shares';
import type { ListQuery } from '#platform/http/input/list-query';
import { data, type Page, Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { shownChanges } from './history-changes';
import { HistoryQuery } from './history-query';
import type { Ask } from './list-statements';
import { inZone } from './list-times';
import { caughtUp } from './own-write';
import { weighed } from './page-weight';
import { isOneStatement, isPlannedOnce, readPage } from './read-page';
import type { AnyList, RecordRow } from './record-list';
import { oneStatement } from './record-statements';
import { tableOf } from './state-table';
import { zoneOf } from './tenant-zone';
import { UsualWords } from './usual-words';

const TOO_MANY = busy(
  'lists_busy',
  'Other lists and reports of this tenant take all the time that it may have: ask again when they are done.',
);

export class GetRecord {
  constructor(
    readonly context: RequestContext,
    readonly list: AnyList,
    readonly id: Id,
  ) {}
}

export class ListRecords {
  constructor(
    readonly context: RequestContext,
    readonly list: AnyList,
    readonly query: ListQuery,
  ) {}
}

export class GetHistory {
  constructor(
    readonly context: RequestContext,
    readonly id: Id,
    readonly query: HistoryQuery,
  ) {}
}

/** Reads a record from its read model, once that has {@link caughtUp caught up} with the record's stream. */
@QueryHandler(GetRecord)
export class GetRecordHandler implements IQueryHandler<GetRecord> {
  constructor(
    private readonly reads: ReadDatabase,
    private readonly loader: Loader,
  ) {}

  async execute({ context, list, id }: GetRecord): Promise<Reply> {
    const statement = oneStatement(list, context.tenant.id, toUuid(id));
    const row = await caughtUp(
      this.loader,
      context,
      id,
      async () => (await this.reads.pool.query<RecordRow>(statement)).rows[0],
    );
    return data(list.view(row), { ETag: `"${row.version}"` });
  }
}

/**
 * Executes a statement and returns only its rows. The driver's result refers to callbacks that V8 places among its old objects
 * (as they are assigned to a property), so everything reachable from it would stay until the next full garbage collection.
 */
function asking(database: Pick<Pool, 'query'>): Ask {
  return async <Row extends object>(statement: QueryConfig) =>
    (await weighed<Row>(database, statement)).splice(0);
}

function tablesOf({ projection, joins = [], oldest = [] }: AnyList): string[] {
  return [...new Set([projection, ...[...joins, ...oldest].map((other) => other.projection)].map(tableOf))];
}

/** Reads a page of a list. @throws DomainError `page_too_large`; `lists_busy` when the tenant's other lists and reports take too long */
@QueryHandler(ListRecords)
export class ListRecordsHandler implements IQueryHandler<ListRecords> {
  private readonly words = new UsualWords();

  constructor(private readonly reads: ReadDatabase) {}

  async execute({ context, list, query: asked }: ListRecords): Promise<Reply> {
    const times = { updatedSince: 'from', ...list.times } as const;
    const query = await inZone(asked, times, () => zoneOf(this.reads.pool, context.tenant.id));
    const { pageIndex = 0, pageSize = 50 } = query;
    const read = (ask: Ask) => readPage(ask, list, context.tenant, query, this.words);
    const pool = isPlannedOnce(list, context.tenant, query) ? this.reads.plannedOnce : this.reads.pool;
    const found = await this.reads.shares.run(context.tenant.id, TOO_MANY, () =>
      isOneStatement(list, context.tenant, query)
        ? read(asking(pool))
        : this.reads.snapshot(tablesOf(list), (client) => read(asking(client)), pool),
    );
    const { rows, hasMore, totalCount } = found;
    const answer: Page<object> = {
      rows: rows.map((row) => list.view(row)),
      pageIndex,
      pageSize,
      hasMore,
      ...(totalCount !== undefined && { totalCount }),
    };
    // Only the first page has a position: a later page shows a later moment, and a client that continued from there would
    // miss the changes in between.
    if (pageIndex > 0) return data(answer);
    const stopsShort = hasMore && query.changedAfter !== undefined;
    const position = stopsShort ? found.lastChanged! : found.reached;
    return data(answer, { 'X-Event-Position': toToken(parsePosition(position)) });
  }
}

/** Reads a record's events, oldest first: who, when, what changed. @throws DomainError as for lists */
@QueryHandler(GetHistory)
export class GetHistoryHandler implements IQueryHandler<GetHistory> {
  constructor(
    private readonly loader: Loader,
    private readonly reads: ReadDatabase,
  ) {}

  async execute({ context, id, query }: GetHistory): Promise<Reply> {
    const { pageIndex = 0, pageSize = 50 } = query;
    const { tenant } = context;
    const range = { after: pageIndex * pageSize, limit: pageSize + 1 };
    const [version, events] = await this.reads.shares.run(tenant.id, TOO_MANY, () =>
      Promise.all([
        this.loader.versionOf(tenant.id, id),
        this.loader.page(tenant.id, toUuid(id), range, weighed),
      ]),
    );
    // The stream may be a record of another kind, which takes another permission.
    if (version === 0) throw notFound(kindOf(id) ?? 'record');
    const rows = events.slice(0, pageSize).map(({ version, event, metadata, recordedAt, eventId }) => ({
      id: eventId,
      version,
      type: event.type,
      on: recordedAt.toISOString(),
      by: metadata.actor,
      source: metadata.source,
      correlationId: metadata.correlationId,
      changes: shownChanges(event.data),
    }));
    return data({ rows, pageIndex, pageSize, hasMore: events.length > pageSize } satisfies Page<object>);
  }
}

export const recordQueryHandlers = [GetRecordHandler, ListRecordsHandler, GetHistoryHandler];
