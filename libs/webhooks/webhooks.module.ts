import { type DynamicModule, Module } from '@nestjs/common';
import { EventBusModule } from '#event-bus/event-bus.module';
import { Config } from '#platform/config';
import type { Area } from '#practice/records/area';
import {
  WebhookDeliveriesReadController,
  WebhookDeliveriesWriteController,
  WebhookEventsReadController,
  WebhookEventTypesReadController,
} from './deliveries.controllers';
import { Attempt } from './delivery/attempt';
import { Rendering } from './delivery/bodies/rendering';
import { DeliverySettings } from './delivery/delivery-settings';
import { Dispatcher } from './delivery/dispatcher';
import { FailureWatch } from './delivery/failure-watch';
import { DueDeliveries } from './delivery/lanes/due-deliveries';
import { LaneLeases } from './delivery/lanes/lane-leases';
import { LeasedLanes } from './delivery/lanes/leased-lanes';
import { Outcomes } from './delivery/outcomes';
import { QueuePools } from './delivery/queue-pools';
import { endpointHandlers } from './endpoints/endpoint.commands';
import { RotateSecretHandler } from './endpoints/endpoint.rotate';
import { Subscriptions, targetRulesOf } from './endpoints/subscription';
import { ListEventsHandler } from './events/event-feed';
import { ErasedAnswers } from './log/erased-answers';
import { WebhookPruning } from './log/pruning';
import { Sender } from './protocol/sender';
import { deliveryHandlers } from './queue/delivery.commands';
import { FanOut } from './queue/fan-out';
import { QueueSignal } from './queue/queue-signal';
import { Replays } from './queue/replays';
import { webhookQueryHandlers } from './webhook.queries';
import { WebhookMetrics } from './webhook-metrics';
import { WebhookRequests } from './webhook-requests';
import { WebhooksReadController, WebhooksWriteController } from './webhooks.controllers';
import { WebhooksWorker } from './webhooks-worker';

/** The area's routes, like those of every area. It keeps no streams and builds no read model. */
export const webhooksArea: Area = {
  write: {
    controllers: [WebhooksWriteController, WebhookDeliveriesWriteController],
    handlers: [...endpointHandlers, RotateSecretHandler, ...deliveryHandlers],
  },
  read: {
    controllers: [
      WebhooksReadController,
      WebhookEventTypesReadController,
      WebhookEventsReadController,
      WebhookDeliveriesReadController,
    ],
    handlers: [...webhookQueryHandlers, ListEventsHandler],
  },
  projections: [],
};

const sending = [
  FanOut,
  ErasedAnswers,
  Dispatcher,
  LaneLeases,
  LeasedLanes,
  DueDeliveries,
  Rendering,
  Attempt,
  Outcomes,
  QueuePools,
  FailureWatch,
  Replays,
  WebhookPruning,
  WebhookMetrics,
  WebhooksWorker,
  DeliverySettings,
  {
    provide: Sender,
    useFactory: (config: Config, { concurrency }: DeliverySettings) =>
      new Sender(targetRulesOf(config), { connections: concurrency }),
    inject: [Config, DeliverySettings],
  },
];

/**
 * The module of the webhooks; a process loads the parts that it serves. It needs PlatformModule and EventStoreModule,
 * and CQRS for its routes.
 */
@Module({})
export class WebhooksModule {
  static for(part: { writes?: boolean; reads?: boolean; sends?: boolean }): DynamicModule {
    const { write, read } = webhooksArea;
    return {
      module: WebhooksModule,
      imports: part.sends ? [EventBusModule] : [],
      controllers: [...(part.writes ? write.controllers : []), ...(part.reads ? read.controllers : [])],
      providers: [
        QueueSignal,
        WebhookRequests,
        Subscriptions,
        ...(part.writes ? write.handlers : []),
        ...(part.reads ? (read.handlers ?? []) : []),
        ...(part.sends ? sending : []),
      ],
      exports: part.sends ? [WebhooksWorker] : [],
    };
  }
}
