import type { EventBus, Subscriber } from '#event-bus/event-bus';
import { StoreEventBus } from '#event-bus/store-event-bus';
import { Erasures } from '#event-store/erasures';
import { History } from '#event-store/history';
import { SystemClock } from '#kernel/clock';
import type { Installation } from '#platform/auth/installation';
import { Tenants } from '#platform/auth/tenants';
import { Health } from '#platform/observability/health';
import type { TestStore } from '../../../test/support/store';
import { ProjectionAudit } from '../audit/projection-audit';
import { ProjectionExport } from '../audit/projection-export';
import { Reconciliation } from '../audit/reconciliation';
import { Scratch } from '../audit/scratch';
import { CatchUp } from '../catch-up';
import { FollowedStore } from '../followed-store';
import { HeldTenants } from '../held-tenants';
import { ParkedTenants } from '../parked-tenants';
import { Parking } from '../parking';
import type { Projection } from '../projection';
import { ProjectionRunner } from '../projection-runner';
import { ProjectionStatus } from '../projection-status';
import { Projections } from '../projections';
import { ReachedPositions } from '../reached-positions';
import { GenerationBuild } from '../rebuild/generation-build';
import { LiveFill } from '../rebuild/live-fill';
import { NextGeneration } from '../rebuild/next-generation';
import { ProjectionRebuild } from '../rebuild/projection-rebuild';
import { TenantFill } from '../rebuild/tenant-fill';
import { TenantRenewal } from '../rebuild/tenant-renewal';
import { TenantReturn } from '../rebuild/tenant-return';
import { HandBus } from './hand-bus';

/** A runner that builds read models over a test store. */
export function runnerOver(
  { reads, feed }: TestStore,
  projections: Projections,
  bus: EventBus,
): ProjectionRunner {
  return new ProjectionRunner(bus, reads, new Parking(reads), projections, new FollowedStore(reads, feed));
}

/** A started runner whose subscriber the test calls by hand, in place of a bus. */
export function runnerByHand(store: TestStore, projections: readonly Projection[]): Subscriber {
  const bus = new HandBus();
  runnerOver(store, new Projections(projections), bus).start();
  return bus.subscriber;
}

/** All services for read models over a test store, as one process has them. */
export function projectionParts(store: TestStore, all: readonly Projection[], clock = new SystemClock()) {
  const { config, feed, reads, writes } = store;
  const projections = new Projections(all);
  const health = new Health();
  const bus = new StoreEventBus(config, feed, health);
  const tenants = new Tenants(writes, { region: 'uk', partitions: 12 } as Installation);
  const history = new History(store.codec);
  const catchUp = new CatchUp(feed, reads);
  const scratch = new Scratch(history, writes);
  const next = new NextGeneration(new GenerationBuild(feed, history, writes), tenants, reads);
  const positions = new ReachedPositions(reads, projections);
  const held = new HeldTenants(projections, feed, positions, catchUp, reads);
  const filling = new LiveFill(history, feed, writes, reads);
  return {
    bus,
    health,
    runner: runnerOver(store, projections, bus),
    rebuild: new ProjectionRebuild(projections, next, catchUp, tenants, reads),
    parked: new ParkedTenants(projections, catchUp, tenants, reads),
    positions,
    tenants,
    held,
    fill: new TenantFill(projections, filling, held, reads),
    returning: new TenantReturn(projections, filling, catchUp, reads),
    renewal: new TenantRenewal(projections, next, catchUp, feed, reads),
    audit: new ProjectionAudit(
      projections,
      scratch,
      tenants,
      new Erasures(writes, store.codec),
      writes,
      reads,
    ),
    exporting: new ProjectionExport(projections, scratch, tenants, reads),
    reconciliation: new Reconciliation(projections, tenants, reads),
    status: new ProjectionStatus(feed, reads, tenants, clock, projections, health),
  };
}
