import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { notFound } from '#kernel/errors';
import { type Id, toUuid } from '#kernel/ids';
import { ReadDatabase, WriteDatabase } from '#platform/database';
import { data, type Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { inZone } from '#practice/records/list-times';
import { zoneOf } from '#practice/records/tenant-zone';
import { webhookView } from './endpoints/endpoint';
import { endpointsOf } from './endpoints/endpoints';
import { unreadable } from './events/event-catalogue';
import { type AttemptView, type DeliveriesQuery, deliveryView } from './log/delivery.views';
import { type PageQuery, pageOf } from './page';
import { ownName } from './protocol/event-names';
import { ATTEMPTS, type DeliveryRow, firstUuidOf } from './queue/delivery';

export class ListWebhooks {
  constructor(
    readonly context: RequestContext,
    readonly query: PageQuery,
  ) {}
}

export class GetWebhook {
  constructor(
    readonly context: RequestContext,
    readonly id: Id,
  ) {}
}

export class ListDeliveries {
  constructor(
    readonly context: RequestContext,
    readonly id: Id,
    readonly query: DeliveriesQuery,
  ) {}
}

export class GetDelivery {
  constructor(
    readonly context: RequestContext,
    readonly id: Id,
    readonly deliveryId: Id,
  ) {}
}

/** Lists webhooks from the write database: no read model has to catch up first. */
@QueryHandler(ListWebhooks)
export class ListWebhooksHandler implements IQueryHandler<ListWebhooks> {
  constructor(private readonly database: WriteDatabase) {}

  async execute({ context, query }: ListWebhooks): Promise<Reply> {
    const all = await endpointsOf(this.database.pool, context.tenant.id);
    return data(pageOf(all.map(webhookView), query));
  }
}

@QueryHandler(GetWebhook)
export class GetWebhookHandler implements IQueryHandler<GetWebhook> {
  constructor(private readonly database: WriteDatabase) {}

  async execute({ context, id }: GetWebhook): Promise<Reply> {
    const [row] = await endpointsOf(this.database.pool, context.tenant.id, id);
    if (!row) throw notFound('webhook');
    return data(webhookView(row), { ETag: `"${row.version}"` });
  }
}

/** By how much an event's time and that in its id may differ, as the clocks of processes do. */
const SKEW_MS = 3_600_000;

/** Lists deliveries, the latest event first; only of events that the token may read. */
@QueryHandler(ListDeliveries)
export class ListDeliveriesHandler implements IQueryHandler<ListDeliveries> {
  constructor(
    private readonly database: WriteDatabase,
    private readonly reads: ReadDatabase,
  ) {}

  async execute({ context, id, query: asked }: ListDeliveries): Promise<Reply> {
    const query = await inZone(asked, { since: 'from' }, () => zoneOf(this.reads.pool, context.tenant.id));
    const { pageIndex = 0, pageSize = 50, includeTotalCount, state = null, type = null, since } = query;
    const [webhook] = await endpointsOf(this.database.pool, context.tenant.id, id);
    if (!webhook) throw notFound('webhook');
    const matching = `from webhooks.deliveries
      where tenant_id = $1 and webhook_id = $2 and ($3::smallint is null or state = $3)
        and ($4::text is null or type = $4) and occurred_at >= $5 and event_id >= $6 and type <> all($7)`;
    const from = new Date(since ?? 0);
    const values = [
      context.tenant.id,
      webhook.id,
      state,
      type && (ownName(type) ?? type),
      // Far older deliveries are not even read: the ids of events begin with their time.
      from,
      firstUuidOf(new Date(Math.max(0, from.getTime() - SKEW_MS))),
      unreadable(context.permissions),
    ];
    const { pool } = this.database;
    const [{ rows }, counted] = await Promise.all([
      pool.query<DeliveryRow>(`select * ${matching} order by event_id desc limit $8 offset $9`, [
        ...values,
        pageSize + 1,
        pageIndex * pageSize,
      ]),
      includeTotalCount
        ? pool.query<{ count: number }>(`select count(*)::float8 as count ${matching}`, values)
        : undefined,
    ]);
    const page = rows.slice(0, pageSize).map(deliveryView);
    const totalCount = counted && { totalCount: counted.rows[0].count };
    return data({ rows: page, pageIndex, pageSize, hasMore: rows.length > pageSize, ...totalCount });
  }
}

/** A delivery may be sent again any number of times, and every answer may have 20 KB. */
const MOST_ATTEMPTS = 100;

interface AttemptRow extends Omit<AttemptView, 'on'> {
  at: Date;
}

/** @throws DomainError `not_found`, also for an event that the token may not read */
@QueryHandler(GetDelivery)
export class GetDeliveryHandler implements IQueryHandler<GetDelivery> {
  constructor(private readonly database: WriteDatabase) {}

  async execute({ context, id, deliveryId }: GetDelivery): Promise<Reply> {
    const key = [context.tenant.id, toUuid(id), toUuid(deliveryId)];
    const one = 'tenant_id = $1 and webhook_id = $2 and event_id = $3';
    const [{ rows }, attempts] = await Promise.all([
      this.database.pool.query<DeliveryRow>(
        `select d.* from webhooks.deliveries d where ${one} and type <> all($4) and exists (
           select from webhooks.endpoints e where e.tenant_id = d.tenant_id and e.id = d.webhook_id)`,
        [...key, unreadable(context.permissions)],
      ),
      this.database.pool.query<AttemptRow>(
        `select number, at, milliseconds, status, error, detail, response, address
         from ${ATTEMPTS} a where ${one} order by number desc limit ${MOST_ATTEMPTS}`,
        key,
      ),
    ]);
    if (rows.length === 0) throw notFound('delivery');
    const views = attempts.rows.reverse().map(({ number, at, ...rest }): AttemptView => {
      return { number, on: at.toISOString(), ...rest };
    });
    return data({ ...deliveryView(rows[0]), attempts: views });
  }
}

export const webhookQueryHandlers = [
  ListWebhooksHandler,
  GetWebhookHandler,
  ListDeliveriesHandler,
  GetDeliveryHandler,
];
