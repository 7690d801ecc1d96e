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
import { DeliverySettings } from './delivery/delivery-settings';
import { Dispatcher } from './delivery/dispatcher';
import { DueDeliveries } from './delivery/due-deliveries';
import { FailureWatch } from './delivery/failure-watch';
import { HeldLanes } from './delivery/held-lanes';
import { LaneLeases } from './delivery/lane-leases';
import { Outcomes } from './delivery/outcomes';
import { QueuePools } from './delivery/queue-pools';
import { Rendering } from './delivery/rendering';
import { deliveryHandlers } from './delivery.commands';
import { endpointHandlers } from './endpoint.commands';
import { RotateSecretHandler } from './endpoint.rotate';
import { ErasedAnswers } from './erased-answers';
import { ListEventsHandler } from './event-feed';
import { FanOut } from './fan-out';
import { Sender } from './protocol/sender';
import { WebhookPruning } from './pruning';
import { QueueSignal } from './queue-signal';
import { Replays } from './replays';
import { Subscriptions, targetRulesOf } from './subscription';
import { webhookQueryHandlers } from './webhook.queries';
import { WebhookMetrics } from './webhook-metrics';
import { WebhookRequests } from './webhook-requests';
import { WebhooksReadController, WebhooksWriteController } from './webhooks.controllers';
import { WebhooksWorker } from './webhooks-worker';

/** The area's routes, as those of every area; it keeps no streams and builds no read model. */
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
  HeldLanes,
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

/** Webhooks; a process loads the part that it serves. Needs PlatformModule, EventStoreModule, and CQRS for routes. */
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
