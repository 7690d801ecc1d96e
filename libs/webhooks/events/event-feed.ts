import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ApiProperty } from '@nestjs/swagger';
import { TenantFeed } from '#event-store/feed/tenant-feed';
import { fromToken, toToken } from '#event-store/position';
import { Clock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { TextFilter, WholeNumberFilter } from '#platform/http/input/list-query';
import { data, type Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { messageId, recordId } from '../queue/delivery';
import { later, positionAt } from '../queue/fan-out-checkpoints';
import { CHANGED, type EventMessage, messageOf, toldTo } from './messages';

/** How long events stay in the feed that the API offers. */
export const FEED_MS = 30 * 86_400_000;

/** How long a request goes on through events that the caller may not be told, such as those of an import. */
const SEARCH_MS = 1_000;

export class EventsQuery {
  @TextFilter(
    'The `after` of the last answer. When it is absent or more than 30 days old, the list begins with the events of ' +
      '30 days ago.',
    100,
  )
  after?: string;

  @WholeNumberFilter('The highest number of events in an answer.', { min: 1, max: 200, default: 50 })
  pageSize?: number;
}

class EventDataView {
  @ApiProperty({
    description: 'The id of the record that the event is about.',
    example: 'matter_0198c2f1a4b87c3d9e5f60718293a4b5',
  })
  id: string;

  @ApiProperty({
    description: 'Who made the change, as `createdBy` names them.',
    example: 'integration:demo-client',
  })
  sourceId: string;
}

/** An event in the form of a thin message. */
export class EventView {
  @ApiProperty({ example: 'evt_0198c2f1a4b87c3d9e5f60718293a4b5' })
  id: string;

  @ApiProperty({
    description: 'The name of the event, as `GET /webhooks/eventtypes` lists it.',
    example: 'matter.created',
  })
  type: string;

  @ApiProperty({ format: 'date-time', description: 'When the event happened.' })
  timestamp: string;

  @ApiProperty({ type: EventDataView, description: 'Which record was changed, and by whom.' })
  data: EventDataView;

  @ApiProperty({ description: "The tenant's alias.", example: 'demo' })
  tenant: string;

  @ApiProperty({ type: 'integer', description: 'The version of the record after the event.', example: 1 })
  sequence: number;

  @ApiProperty({
    type: String,
    isArray: true,
    description: CHANGED,
    example: ['sortTitle', 'title'],
  })
  changed: string[];
}

export class ListEvents {
  constructor(
    readonly context: RequestContext,
    readonly query: EventsQuery,
  ) {}
}

/**
 * Reads the events that the caller may read, in the order in which they were committed. A client uses it to catch up.
 */
@QueryHandler(ListEvents)
export class ListEventsHandler implements IQueryHandler<ListEvents> {
  constructor(
    private readonly database: WriteDatabase,
    private readonly feed: TenantFeed,
    private readonly clock: Clock,
  ) {}

  /** Answers with a page. It may have few rows or none and yet say that there are more: the client then asks again. */
  async execute({ context, query }: ListEvents): Promise<Reply> {
    const { tenant, permissions } = context;
    const asked = this.clock.now().getTime();
    const since = new Date(asked - FEED_MS);
    const start = await positionAt(this.database.pool, tenant.partition, since);
    let after = query.after === undefined ? start : later(start, fromToken(query.after));
    const wanted = toldTo(permissions);
    for (;;) {
      const { events, reached, more } = await this.feed.read(tenant, after, query.pageSize ?? 50, wanted);
      const rows = events
        .filter(({ recordedAt }) => recordedAt >= since)
        .flatMap((recorded) => messageOf(recorded) ?? [])
        .map(({ message }) => viewOf(message, tenant.alias));
      if (rows.length > 0 || !more || this.clock.now().getTime() - asked >= SEARCH_MS)
        return data({ rows, after: toToken(reached), hasMore: more });
      after = reached;
    }
  }
}

function viewOf(message: EventMessage, tenant: string): EventView {
  return {
    id: messageId(message.event_id),
    type: message.type,
    timestamp: message.occurred_at.toISOString(),
    data: { id: recordId(message), sourceId: message.source },
    tenant,
    sequence: message.version,
    changed: JSON.parse(message.changed),
  };
}
