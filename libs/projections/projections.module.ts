import { type DynamicModule, Module } from '@nestjs/common';
import { EventBus } from '#event-bus/event-bus';
import { StoreEventBus } from '#event-bus/store-event-bus';
import { Feed } from '#event-store/feed';
import { Housekeeping } from '#event-store/housekeeping';
import { Clock } from '#kernel/clock';
import { ReadDatabase } from '#platform/database';
import type { Projection } from './projection';
import { ProjectionLag } from './projection-lag';
import { ProjectionRebuild } from './projection-rebuild';
import { ProjectionRunner } from './projection-runner';

/** Keeps and rebuilds read models; needs PlatformModule and EventStoreModule. */
@Module({})
export class ProjectionsModule {
  static forProjections(projections: readonly Projection[]): DynamicModule {
    return {
      module: ProjectionsModule,
      providers: [
        { provide: EventBus, useClass: StoreEventBus },
        {
          provide: ProjectionRunner,
          useFactory: (bus: EventBus, database: ReadDatabase) =>
            new ProjectionRunner(bus, database, projections),
          inject: [EventBus, ReadDatabase],
        },
        {
          provide: ProjectionLag,
          useFactory: (feed: Feed, database: ReadDatabase, clock: Clock) =>
            new ProjectionLag(feed, database, clock, projections),
          inject: [Feed, ReadDatabase, Clock],
        },
        Housekeeping,
        {
          provide: ProjectionRebuild,
          useFactory: (feed: Feed, database: ReadDatabase) =>
            new ProjectionRebuild(feed, database, projections),
          inject: [Feed, ReadDatabase],
        },
      ],
      exports: [Housekeeping, ProjectionRunner, ProjectionRebuild],
    };
  }
}
