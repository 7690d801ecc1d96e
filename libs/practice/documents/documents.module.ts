import type { Area } from '../records/area';
import { Document } from './document';
import { documentHandlers } from './document.commands';
import { DownloadDocumentHandler } from './document.download';
import { documentsProjection } from './document.projection';
import { DocumentUploads } from './document.upload';
import { DocumentsReadController, DocumentsWriteController } from './documents.controllers';

export const documentsArea: Area = {
  definition: Document,
  write: { controllers: [DocumentsWriteController], handlers: [...documentHandlers, DocumentUploads] },
  read: { controllers: [DocumentsReadController], handlers: [DownloadDocumentHandler] },
  projections: [documentsProjection],
};
