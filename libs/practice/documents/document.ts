import type { DomainEvent, NaturalKey } from '#kernel/decider';
import { conflict, DomainError } from '#kernel/errors';
import { begunAt } from '#platform/storage/content-key';
import type { RecordState } from '../records/record';
import { type SimpleDefinition, simpleRecord } from '../records/simple-record';
import { type Content, type DocumentFields, documentEvents, type Naming } from './document.events';

/** A version of a document: its bytes and their name. */
export interface DocumentVersion extends Naming, Content {
  /** Counted from 1. */
  number: number;
}

export interface DocumentState extends RecordState, DocumentFields {
  /** The oldest version first. */
  versions: DocumentVersion[];
}

/** Kind of the natural key that a document holds for each of its stored bytes: events name them, so they are kept for ever. */
export const CONTENT = 'document_content';
export const MAX_VERSIONS = 250;
/** The content type of bytes for which none was given. */
export const UNKNOWN_TYPE = 'application/octet-stream';
/** How long ago the upload of a new version may have begun: less than the age at which a sweep removes its bytes. */
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

/** The natural keys of a document's bytes. A deleted document keeps them, as its history names the bytes. */
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

/** Refuses bytes that a sweep may have removed already. @throws DomainError `upload_expired` (503) */
export function requireFresh(key: string, now: Date): void {
  if (now.getTime() - begunAt(key).getTime() > FRESH_MS)
    throw new DomainError('unavailable', 'upload_expired', 'The upload took too long; try again.', [], {
      'Retry-After': '1',
    });
}
