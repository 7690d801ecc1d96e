import { type DynamicModule, Module } from '@nestjs/common';
import { Tenants } from '#platform/auth/tenants';
import type { Area } from '#practice/records/area';
import { importCommandHandlers } from './api/import.commands';
import { GetImportHandler } from './api/import.queries';
import { GetReportHandler } from './api/import-report.queries';
import { ImportsReadController, ImportsWriteController } from './api/imports.controllers';
import { SourceHosts } from './connection/source-hosts';
import { ImportSettings } from './import-settings';
import { OperatorImports } from './operator-imports';
import { PromotionRequests } from './promotion/promotion-requests';
import { ImportRepeats } from './requests/import-repeats';

/** The routes of imports, declared like those of every area. The area has no streams and no read model. */
export const importsArea: Area = {
  write: { controllers: [ImportsWriteController], handlers: importCommandHandlers },
  read: { controllers: [ImportsReadController], handlers: [GetImportHandler, GetReportHandler] },
  projections: [],
};

/** Providers for requesting an import or a promotion. */
const asking = [ImportRepeats, SourceHosts, ImportSettings, PromotionRequests];

interface Part {
  writes?: boolean;
  reads?: boolean;
  /** The process requests imports without serving a route (the command line). */
  asks?: boolean;
}

/**
 * Requests bulk imports and shows their status; a process loads the part that it serves. Needs PlatformModule and
 * EventStoreModule, and CQRS for routes.
 */
@Module({})
export class ImportModule {
  static for({ writes, reads, asks }: Part): DynamicModule {
    const { write, read } = importsArea;
    return {
      module: ImportModule,
      controllers: [...(writes ? write.controllers : []), ...(reads ? read.controllers : [])],
      providers: [
        ...(writes || asks ? asking : []),
        ...(writes ? write.handlers : []),
        ...(reads ? (read.handlers ?? []) : []),
        ...(asks ? [Tenants, ...importCommandHandlers, GetImportHandler, OperatorImports] : []),
      ],
      exports: asks ? [OperatorImports] : [],
    };
  }
}
