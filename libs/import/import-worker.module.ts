import { type DynamicModule, Module } from '@nestjs/common';
import { Tenants } from '#platform/auth/tenants';
import { ErasedEntities } from '#practice/entities/entity.erasures';
import type { Projection } from '#projections/projection';
import { Projections } from '#projections/projections';
import { ProjectionsModule } from '#projections/projections.module';
import { ReachedPositions } from '#projections/reached-positions';
import { Arrivals } from './arrivals/arrivals';
import { Comparison } from './arrivals/comparison';
import { ImportedRecords } from './arrivals/imported-records';
import { TenantGround } from './arrivals/tenant-ground';
import { SourceHosts } from './connection/source-hosts';
import { Sources } from './connection/sources';
import { Extraction } from './extraction/extraction';
import { ImportMetrics } from './import-metrics';
import { ImportSettings } from './import-settings';
import { ImportSteps } from './import-steps';
import { ImportWorker } from './import-worker';
import { Loading } from './loading/loading';
import { StagingErasures } from './loading/staging-erasures';
import { StagingTenants } from './loading/staging-tenants';
import { Promotion } from './promotion/promotion';
import { PromotionAppend } from './promotion/promotion-append';
import { PromotionRequests } from './promotion/promotion-requests';
import { PromotionWorker } from './promotion/promotion-worker';
import { Reconciliation } from './reconciliation/reconciliation';
import { ExistingRecords } from './records/existing-records';
import { ImportRepeats } from './requests/import-repeats';
import { ImportRequests } from './requests/import-requests';
import { CheckedRows } from './validation/checked-rows';
import { Validation } from './validation/validation';

const importing = [
  ImportSettings,
  ImportRequests,
  ImportRepeats,
  ImportSteps,
  ImportWorker,
  ImportMetrics,
  SourceHosts,
  Sources,
  Extraction,
  CheckedRows,
  Validation,
  Tenants,
  ExistingRecords,
  StagingTenants,
  ReachedPositions,
  Loading,
  ErasedEntities,
  StagingErasures,
  Reconciliation,
];
const promoting = [
  PromotionRequests,
  PromotionWorker,
  Promotion,
  PromotionAppend,
  TenantGround,
  Arrivals,
  Comparison,
  ImportedRecords,
];

/**
 * Carries imports and promotions out. It is a module of its own because the SQL Server driver takes 34 MB of memory, which
 * processes that only answer requests should not spend. Needs PlatformModule and EventStoreModule.
 */
@Module({})
export class ImportWorkerModule {
  /** @param projections the projections that an import waits for, and that are renewed at its end */
  static for(projections: readonly Projection[]): DynamicModule {
    return {
      module: ImportWorkerModule,
      imports: [ProjectionsModule.forRenewal(projections)],
      providers: [
        ...importing,
        ...promoting,
        { provide: Projections, useValue: new Projections(projections) },
      ],
      exports: [ImportWorker, PromotionWorker],
    };
  }
}
