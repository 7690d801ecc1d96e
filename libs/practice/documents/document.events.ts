import type { DomainEvent } from '#kernel/decider';
import type { SimpleEvent } from '../records/simple-record';

/** Bytes in the storage, and who brought them when. */
export interface Content {
  /** Where the storage keeps it, see content-key.ts. */
  key: string;
  /** Bytes. */
  size: number;
  /** Hex. */
  sha256: string;
  createdOn: string;
  createdBy: string;
}

/** What bytes are called, as their client said. */
export interface Naming {
  fileName: string;
  contentType: string;
}

export interface DocumentFields extends Naming {
  documentCollectionId: string;
  /** The subject of its collection. */
  subjectId: string;
}

export type DocumentEvent =
  | SimpleEvent<'Document', DocumentFields & { content: Content }>
  | DomainEvent<'DocumentVersionAdded', Naming & { content: Content }>;

export const documentEvents = {
  DocumentCreated: [],
  DocumentUpdated: [],
  DocumentVersionAdded: [],
  DocumentDeleted: [],
} satisfies Record<DocumentEvent['type'], []>;
