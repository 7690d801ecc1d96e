import { type DynamicModule, Module } from '@nestjs/common';
import { EventBusModule } from '#event-bus/event-bus.module';
import { Tenants } from '#platform/auth/tenants';
import { ProjectionAudit } from './audit/projection-audit';
import { ProjectionExport } from './audit/projection-export';
import { Reconciliation } from './audit/reconciliation';
import { Scratch } from './audit/scratch';
import { CatchUp } from './catch-up';
import { FollowedStore } from './followed-store';
import { HeldTenants } from './held-tenants';
import { ParkedTenants } from './parked-tenants';
import { Parking } from './parking';
import type { Projection } from './projection';
import { ProjectionRunner } from './projection-runner';
import { ProjectionStatus } from './projection-status';
import { Projections } from './projections';
import { ReachedPositions } from './reached-positions';
import { GenerationBuild } from './rebuild/generation-build';
import { LiveFill } from './rebuild/live-fill';
import { NextGeneration } from './rebuild/next-generation';
import { ProjectionRebuild } from './rebuild/projection-rebuild';
import { RebuildMetrics } from './rebuild/rebuild-metrics';
import { ReturningTenants } from './rebuild/returning-tenants';
import { TenantFill } from './rebuild/tenant-fill';
import { TenantRenewal } from './rebuild/tenant-renewal';
import { TenantReturn } from './rebuild/tenant-return';
import { UnfinishedRebuilds } from './rebuild/unfinished-rebuilds';

/** Services that bring very many events of a tenant to its read models. */
const renewal = [HeldTenants, TenantRenewal, TenantFill];

/** Services that processes and commands inject. */
const services = [
  ...renewal,
  ParkedTenants,
  ProjectionAudit,
  ProjectionExport,
  ProjectionRebuild,
  ProjectionRunner,
  ProjectionStatus,
  Reconciliation,
  ReturningTenants,
  UnfinishedRebuilds,
];

/** Internal parts that the services share. */
const parts = [Tenants, CatchUp, FollowedStore, GenerationBuild, LiveFill, NextGeneration, ReachedPositions];

/** Maintains, rebuilds and audits read models. Needs PlatformModule and EventStoreModule. */
@Module({})
export class ProjectionsModule {
  /** The services for imports, without anything that follows the feed. */
  static forRenewal(projections: readonly Projection[]): DynamicModule {
    return {
      module: ProjectionsModule,
      providers: [{ provide: Projections, useValue: new Projections(projections) }, ...parts, ...renewal],
      exports: renewal,
    };
  }

  static forProjections(projections: readonly Projection[]): DynamicModule {
    return {
      module: ProjectionsModule,
      imports: [EventBusModule],
      providers: [
        { provide: Projections, useValue: new Projections(projections) },
        ...parts,
        Parking,
        RebuildMetrics,
        Scratch,
        TenantReturn,
        ...services,
      ],
      exports: [EventBusModule, ...services],
    };
  }
}
