import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import type { Folded } from '#event-store/events';
import { at, holding } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { DomainError, invalid } from '#kernel/errors';
import { newId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import {
  createRoot,
  DocumentCollection,
  type DocumentCollectionState,
  openCollection,
  placeQuestions,
  presentSubject,
  rootOf,
  subjectQuestions,
} from '../document-collections/document-collection.lookup';
import { refuseErased } from '../entities/entity.lookup';
import { loadAddressed } from '../records/addressed-record';
import { handlerOf } from '../records/command';
import { givenReference } from '../records/record';
import type { RecordWriting } from '../records/write-record';
import { addVersion, Document, type DocumentState, requireFresh, UNKNOWN_TYPE } from './document';
import type { Content, Naming } from './document.events';
import type { DocumentInput, DocumentPatch, DocumentVersionInput } from './document.input';

/** Bytes that were just stored. */
export type NewContent = Pick<Content, 'key' | 'size' | 'sha256'>;

export class CreateDocument {
  constructor(
    readonly context: RequestContext,
    readonly body: DocumentInput,
    readonly content: NewContent,
  ) {}
}

export class AddDocumentVersion {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: DocumentVersionInput,
    readonly content: NewContent,
  ) {}
}

type Done = Promise<Written<DocumentState>>;

@CommandHandler(CreateDocument)
export class CreateDocumentHandler implements ICommandHandler<CreateDocument> {
  constructor(private readonly store: EventStore) {}

  async execute(command: CreateDocument): Done {
    const run = () => this.store.execute(command.context, (work) => createDocument(work, command));
    try {
      return await run();
    } catch (error) {
      // Another request has just created the same root collection, so a second try finds it.
      if (error instanceof DomainError && error.code === 'root_collection_taken') return run();
      throw error;
    }
  }
}

export const AddDocumentVersionHandler = handlerOf(
  AddDocumentVersion,
  async (work, { id, body, content }) => {
    const before = await loadAddressed(work, Document, id);
    refuseErased((await work.load(subjectQuestions(before.data.subjectId))).entity);
    const version = { ...namingOf(body), content: broughtBy(work, content) };
    return work.change(Document, before, addVersion(before.data, version));
  },
);

async function createDocument(
  work: UnitOfWork,
  { body, content }: CreateDocument,
): Promise<Folded<DocumentState>> {
  const { id, data: collection } = await collectionFor(work, body);
  const data = {
    ...namingOf(body),
    documentCollectionId: id,
    subjectId: collection.subjectId,
    content: broughtBy(work, content),
    ...givenReference(work.context, body.externalReference),
  };
  return work.create(Document, newId('document'), [{ type: 'DocumentCreated', data }]);
}

function namingOf({ fileName, contentType }: DocumentVersionInput): Naming {
  return { fileName, contentType: contentType ?? UNKNOWN_TYPE };
}

function broughtBy({ now, context }: UnitOfWork, content: NewContent): Content {
  requireFresh(content.key, now);
  return { ...content, createdOn: now.toISOString(), createdBy: context.actor };
}

/** The given collection, or the subject's root collection, which is created if it is missing. */
async function collectionFor(
  work: UnitOfWork,
  { documentCollectionId, subjectId }: DocumentInput,
): Promise<Folded<DocumentCollectionState>> {
  const found = await work.load({
    ...placeQuestions(documentCollectionId),
    root: subjectId ? holding(DocumentCollection, rootOf(subjectId)) : at(DocumentCollection, null),
    ...subjectQuestions(subjectId),
  });
  if (subjectId) presentSubject(subjectId, found);
  if (documentCollectionId) {
    const collection = openCollection(found);
    if (subjectId && subjectId !== collection.data.subjectId)
      throw invalid('subject_mismatch', 'subjectId: the collection is of another subject.', 'subjectId');
    return collection;
  }
  if (!subjectId)
    throw invalid(
      'collection_required',
      'documentCollectionId: a collection or a subjectId is needed.',
      'documentCollectionId',
    );
  return found.root ?? createRoot(work, subjectId);
}

const asks = (_: RequestContext, { documentCollectionId }: DocumentPatch) =>
  placeQuestions(documentCollectionId);

/** How commands change a document's fields and delete it. */
export const documentWriting: RecordWriting<DocumentState, DocumentPatch, ReturnType<typeof asks>> = {
  definition: Document,
  defaults: {
    fileName: '',
    contentType: UNKNOWN_TYPE,
    documentCollectionId: '',
    subjectId: '',
    versions: [],
  },
  asks,
  stored: (_, { collection }) => (collection ? { subjectId: collection.data.subjectId } : {}),
  check({ given, found }) {
    if (given.documentCollectionId) openCollection(found);
  },
};

export const documentHandlers = [CreateDocumentHandler, AddDocumentVersionHandler];
