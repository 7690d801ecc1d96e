import { type DynamicModule, Module } from '@nestjs/common';
import { EventBusModule } from '#event-bus/event-bus.module';
import { Tenants } from '#platform/auth/tenants';
import { CatchUp } from './catch-up';
import { GenerationBuild } from './generation-build';
import { ParkedTenants } from './parked-tenants';
import { Parking } from './parking';
import type { Projection } from './projection';
import { ProjectionAudit } from './projection-audit';
import { ProjectionExport } from './projection-export';
import { ProjectionRebuild } from './projection-rebuild';
import { ProjectionRunner } from './projection-runner';
import { ProjectionStatus } from './projection-status';
import { Projections } from './projections';
import { Reconciliation } from './reconciliation';
import { Scratch } from './scratch';
import { UnfinishedRebuilds } from './unfinished-rebuilds';

/** What a process or a command asks for. */
const services = [
  ParkedTenants,
  ProjectionAudit,
  ProjectionExport,
  ProjectionRebuild,
  ProjectionRunner,
  ProjectionStatus,
  Reconciliation,
  UnfinishedRebuilds,
];

/** Keeps, rebuilds and audits read models; needs PlatformModule and EventStoreModule. */
@Module({})
export class ProjectionsModule {
  static forProjections(projections: readonly Projection[]): DynamicModule {
    return {
      module: ProjectionsModule,
      imports: [EventBusModule],
      providers: [
        { provide: Projections, useValue: new Projections(projections) },
        Tenants,
        CatchUp,
        GenerationBuild,
        Parking,
        Scratch,
        ...services,
      ],
      exports: [EventBusModule, ...services],
    };
  }
}
