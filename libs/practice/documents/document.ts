import type { DomainEvent, NaturalKey } from '#kernel/decider';
import { conflict, DomainError } from '#kernel/errors';
import { begunAt } from '#platform/storage/content-key';
import type { RecordState } from '../records/record';
import { type SimpleDefinition, simpleRecord } from '../records/simple-record';
import { type Content, type DocumentFields, documentEvents, type Naming } from './document.events';

/** Bytes that a document has or had. */
export interface DocumentVersion extends Naming, Content {
  /** From 1. */
  number: number;
}

export interface DocumentState extends RecordState, DocumentFields {
  /** The first one first. */
  versions: DocumentVersion[];
}

/** What is held of a document's bytes: kept while any event names them, and so for ever. */
export const CONTENT = 'document_content';
export const MAX_VERSIONS = 250;
/** The content type of bytes of which nobody said what they are. */
export const UNKNOWN_TYPE = 'application/octet-stream';
/** How long ago the bytes of a new version may have begun to come: less than until a sweep takes them for lost. */
const FRESH_MS = 20 * 60_000;

const simple = simpleRecord<DocumentState>({
  kind: 'document',
  name: 'Document',
  events: documentEvents,
  links: ({ documentCollectionId }) => [{ kind: 'document_collection', target: documentCollectionId }],
});

export const Document: SimpleDefinition<DocumentState> = {
  ...simple,
  evolve(state, event) {
    if (event.type === 'DocumentUpdated' || event.type === 'DocumentDeleted')
      return simple.evolve(state, event);
    const { content, ...fields } = event.data as Naming & { content: Content };
    const { fileName, contentType } = fields;
    const before = state?.versions ?? [];
    const version = { number: before.length + 1, fileName, contentType, ...content };
    const versions = [...before, version];
    return event.type === 'DocumentCreated'
      ? { ...simple.evolve(state, { ...event, data: fields }), versions }
      : { ...state!, ...fields, versions };
  },
  keys: (state) => [...simple.keys(state), ...contentKeys(state)],
};

/** Those of a deleted document too: its history names them. */
function contentKeys({ versions }: DocumentState): NaturalKey[] {
  return versions.map(({ key }) => ({ kind: CONTENT, key }));
}

/** @throws DomainError `too_many_versions` (409) */
export function addVersion(
  { versions }: DocumentState,
  version: Naming & { content: Content },
): DomainEvent[] {
  if (versions.length >= MAX_VERSIONS)
    throw conflict('too_many_versions', `A document has at most ${MAX_VERSIONS} versions.`);
  return [{ type: 'DocumentVersionAdded', data: version }];
}

/** Bytes that a sweep may have removed already are not named. @throws DomainError `upload_expired` (503) */
export function requireFresh(key: string, now: Date): void {
  if (now.getTime() - begunAt(key).getTime() > FRESH_MS)
    throw new DomainError('unavailable', 'upload_expired', 'The upload took too long; try again.', [], {
      'Retry-After': '1',
    });
}
