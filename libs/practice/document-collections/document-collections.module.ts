import type { Area } from '../records/area';
import { DocumentCollection } from './document-collection';
import { documentCollectionHandlers } from './document-collection.commands';
import { documentCollectionsProjection } from './document-collection.projection';
import {
  DocumentCollectionsReadController,
  DocumentCollectionsWriteController,
} from './document-collections.controllers';

export const documentCollectionsArea: Area = {
  definition: DocumentCollection,
  write: { controllers: [DocumentCollectionsWriteController], handlers: documentCollectionHandlers },
  read: { controllers: [DocumentCollectionsReadController] },
  projections: [documentCollectionsProjection],
};
