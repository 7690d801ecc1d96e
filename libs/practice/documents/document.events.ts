import type { DomainEvent } from '#kernel/decider';
import type { SimpleEvent } from '../records/simple-record';

/** Stored bytes, and who uploaded them when. */
export interface Content {
  /** The key of the bytes in the storage, see content-key.ts. */
  key: string;
  /** Number of bytes. */
  size: number;
  /** The digest in hexadecimal. */
  sha256: string;
  createdOn: string;
  createdBy: string;
}

/** Name and content type of the bytes, as the client gave them. */
export interface Naming {
  fileName: string;
  contentType: string;
}

export interface DocumentFields extends Naming {
  documentCollectionId: string;
  /** The subject of the document's collection. */
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
