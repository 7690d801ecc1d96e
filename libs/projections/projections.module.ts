import { type DynamicModule, Module } from '@nestjs/common';
import { EventBusModule } from '#event-bus/event-bus.module';
import { Tenants } from '#platform/auth/tenants';
import { CatchUp } from './catch-up';
import { FollowedStore } from './followed-store';
import { GenerationBuild } from './generation-build';
import { HeldTenants } from './held-tenants';
import { NextGeneration } from './next-generation';
import { ParkedTenants } from './parked-tenants';
import { Parking } from './parking';
import type { Projection } from './projection';
import { ProjectionAudit } from './projection-audit';
import { ProjectionExport } from './projection-export';
import { ProjectionRebuild } from './projection-rebuild';
import { ProjectionRunner } from './projection-runner';
import { ProjectionStatus } from './projection-status';
import { Projections } from './projections';
import { ReachedPositions } from './reached-positions';
import { Reconciliation } from './reconciliation';
import { Rejoining } from './rejoining';
import { Scratch } from './scratch';
import { TenantFill } from './tenant-fill';
import { TenantRenewal } from './tenant-renewal';
import { UnfinishedRebuilds } from './unfinished-rebuilds';

/** What brings very many events of a tenant to its read models. */
const renewal = [HeldTenants, TenantRenewal, TenantFill];

/** What a process or a command asks for. */
const services = [
  ...renewal,
  ParkedTenants,
  ProjectionAudit,
  ProjectionExport,
  ProjectionRebuild,
  ProjectionRunner,
  ProjectionStatus,
  Reconciliation,
  UnfinishedRebuilds,
];

/** What those share. */
const parts = [Tenants, CatchUp, FollowedStore, GenerationBuild, NextGeneration, ReachedPositions, Rejoining];

/** Keeps, rebuilds and audits read models; needs PlatformModule and EventStoreModule. */
@Module({})
export class ProjectionsModule {
  /** Nothing that follows the feed. */
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
        Scratch,
        ...services,
      ],
      exports: [EventBusModule, ...services],
    };
  }
}
