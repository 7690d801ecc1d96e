import { type DynamicModule, Module } from '@nestjs/common';
import { Tenants } from '#platform/auth/tenants';
import type { Area } from '#practice/records/area';
import type { Projection } from '#projections/projection';
import { Projections } from '#projections/projections';
import { ProjectionsModule } from '#projections/projections.module';
import { ReachedPositions } from '#projections/reached-positions';
import { importCommandHandlers } from './api/import.commands';
import { GetImportHandler } from './api/import.queries';
import { GetReportHandler } from './api/import-report.queries';
import { ImportsReadController, ImportsWriteController } from './api/imports.controllers';
import { ImportSettings } from './connection/import-settings';
import { SourceHosts } from './connection/source-hosts';
import { Sources } from './connection/sources';
import { Extraction } from './extraction/extraction';
import { ImportSteps } from './import-steps';
import { ImportWorker } from './import-worker';
import { Loading } from './loading/loading';
import { StagingTenants } from './loading/staging-tenants';
import { OperatorImports } from './operator-imports';
import { Arrivals } from './promotion/arrivals';
import { ImportedRecords } from './promotion/imported-records';
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

/** The area's routes, as those of every area; it keeps no streams and builds no read model. */
export const importsArea: Area = {
  write: { controllers: [ImportsWriteController], handlers: importCommandHandlers },
  read: { controllers: [ImportsReadController], handlers: [GetImportHandler, GetReportHandler] },
  projections: [],
};

const working = [
  ImportSettings,
  ImportRequests,
  ImportSteps,
  ImportWorker,
  Sources,
  Extraction,
  CheckedRows,
  Validation,
  ExistingRecords,
  StagingTenants,
  Tenants,
  ReachedPositions,
  Loading,
  Reconciliation,
  ImportedRecords,
  Arrivals,
  PromotionAppend,
  Promotion,
  PromotionRequests,
  PromotionWorker,
];

interface Part {
  writes?: boolean;
  reads?: boolean;
  /** Asks for imports without a route. */
  asks?: boolean;
  /** Carries imports out, and waits for these read models to show them. */
  works?: readonly Projection[];
}

/** Bulk imports; a process loads the part that it serves. Needs PlatformModule, EventStoreModule, and CQRS for routes. */
@Module({})
export class ImportModule {
  static for({ writes, reads, asks, works }: Part): DynamicModule {
    const { write, read } = importsArea;
    return {
      module: ImportModule,
      imports: works ? [ProjectionsModule.forRenewal(works)] : [],
      controllers: [...(writes ? write.controllers : []), ...(reads ? read.controllers : [])],
      providers: [
        ImportRepeats,
        SourceHosts,
        ...(writes ? [...write.handlers, ImportSettings, PromotionRequests] : []),
        ...(reads ? (read.handlers ?? []) : []),
        ...(asks
          ? [
              Tenants,
              ImportSettings,
              PromotionRequests,
              ...importCommandHandlers,
              GetImportHandler,
              OperatorImports,
            ]
          : []),
        ...(works ? [...working, { provide: Projections, useValue: new Projections(works) }] : []),
      ],
      exports: [...(works ? [ImportWorker, PromotionWorker] : []), ...(asks ? [OperatorImports] : [])],
    };
  }
}
