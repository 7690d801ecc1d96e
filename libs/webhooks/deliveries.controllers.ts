import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Id } from '#kernel/ids';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { IdParam } from '#platform/http/input/id-param';
import { data, type Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { ApiOne } from '#practice/records/api';
import { EventsQuery, EventView, ListEvents } from './events/event-feed';
import { EventTypeView, eventTypes } from './events/event-types';
import { DeliveriesQuery, DeliveryView, DeliveryWithAttemptsView } from './log/delivery.views';
import { PageQuery, pageOf } from './page';
import { Redeliver } from './queue/delivery.commands';
import { GetDelivery, ListDeliveries } from './webhook.queries';
import { ApiFeed, ApiQueued, ApiRows, ApiWithoutEvents } from './webhooks.api';

@ApiTags('webhooks')
@Controller(':tenant/api/v1/webhooks/:id/deliveries')
@Permission('webhooks:write')
export class WebhookDeliveriesWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post(':deliveryId/redeliver')
  @HttpCode(202)
  @ApiWithoutEvents()
  @ApiOperation({ summary: 'Send a delivery again, with a new schedule of attempts' })
  @ApiQueued(DeliveryView)
  redeliver(
    @CurrentContext() context: RequestContext,
    @IdParam('webhook') id: Id,
    @IdParam('delivery', 'deliveryId') deliveryId: Id,
  ): Promise<Reply> {
    return this.commands.execute(new Redeliver(context, id, deliveryId));
  }
}

@ApiTags('webhooks')
@Controller(':tenant/api/v1/webhooks/:id/deliveries')
@Permission('webhooks:read')
export class WebhookDeliveriesReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'List deliveries of the events that the token may read, the latest first' })
  @ApiRows(DeliveryView)
  list(
    @CurrentContext() context: RequestContext,
    @IdParam('webhook') id: Id,
    @Query() query: DeliveriesQuery,
  ): Promise<Reply> {
    return this.queries.execute(new ListDeliveries(context, id, query));
  }

  @Get(':deliveryId')
  @ApiOne(DeliveryWithAttemptsView)
  one(
    @CurrentContext() context: RequestContext,
    @IdParam('webhook') id: Id,
    @IdParam('delivery', 'deliveryId') deliveryId: Id,
  ): Promise<Reply> {
    return this.queries.execute(new GetDelivery(context, id, deliveryId));
  }
}

@ApiTags('webhooks')
@Controller(':tenant/api/v1/webhooks/eventtypes')
@Permission('webhooks:read')
export class WebhookEventTypesReadController {
  @Get()
  @ApiOperation({ summary: 'List the events that can be subscribed to' })
  @ApiRows(EventTypeView)
  list(@Query() query: PageQuery): Reply {
    return data(pageOf(eventTypes(), query));
  }
}

@ApiTags('webhooks')
@Controller(':tenant/api/v1/webhooks/events')
@Permission('webhooks:read')
export class WebhookEventsReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'List the events of the tenant in order, for clients that poll',
    description:
      'A bulk import appears only as the event `import.promoted`. To get its records, use `changedAfter` of their ' +
      'lists.',
  })
  @ApiFeed(EventView)
  list(@CurrentContext() context: RequestContext, @Query() query: EventsQuery): Promise<Reply> {
    return this.queries.execute(new ListEvents(context, query));
  }
}
