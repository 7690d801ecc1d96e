import type { Folded } from '#event-store/events';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { invalid } from '#kernel/errors';
import { ChangeCommand, CreateCommand, handlerOf } from '../records/command';
import { referred } from '../records/record';
import { createRecord, type RecordWriting, updateRecord } from '../records/write-record';
import {
  DocumentCollection,
  type DocumentCollectionState,
  requireMovable,
  requirePlace,
} from './document-collection';
import type { DocumentCollectionInput, DocumentCollectionPatch } from './document-collection.input';
import { presentSubject, subjectQuestions } from './document-collection.subject';
import { countPlacing, levelsFrom, pathFrom } from './document-collection.tree';

export class CreateDocumentCollection extends CreateCommand<DocumentCollectionInput> {}

export class UpdateDocumentCollection extends ChangeCommand<DocumentCollectionPatch> {}

export const CreateDocumentCollectionHandler = handlerOf(CreateDocumentCollection, async (work, { body }) =>
  createRecord(work, writing(await placeFor(work, body.parentId)), body),
);

export const UpdateDocumentCollectionHandler = handlerOf(
  UpdateDocumentCollection,
  async (work, { id, body }) =>
    updateRecord(work, writing(await placeFor(work, body.parentId, id)), id, body),
);

/** The current state of the place of a collection. */
interface Place {
  above: Folded<DocumentCollectionState>[];
  levels: number;
}

async function placeFor(work: UnitOfWork, parentId: string | null | undefined, id?: string): Promise<Place> {
  if (!parentId) return { above: [], levels: 1 };
  const above = await pathFrom(work, parentId);
  if (above.length > 0) await countPlacing(work, above[0].data.subjectId);
  return { above, levels: id ? await levelsFrom(work, id) : 1 };
}

type Questions = ReturnType<typeof subjectQuestions>;

function writing({
  above,
  levels,
}: Place): RecordWriting<DocumentCollectionState, DocumentCollectionInput, Questions> {
  return {
    definition: DocumentCollection,
    defaults: { name: '', subjectId: '', parentId: null, isRoot: false },
    asks: (_, { subjectId }) => subjectQuestions(subjectId),
    check({ given, found, next, before }) {
      const { subjectId } = next;
      if (!before) presentSubject(subjectId, found);
      else if (given.subjectId)
        throw invalid(
          'subject_fixed',
          'subjectId: the subject of a collection cannot be changed.',
          'subjectId',
        );
      if (!given.parentId) return;
      if (before) requireMovable(before.data);
      referred(above[0], 'documentcollection', 'parentId');
      requirePlace({ id: before?.id, subjectId, above, levels });
    },
  };
}

/** How collections are deleted, for which their place does not matter. */
export const documentCollectionWriting = writing({ above: [], levels: 1 });

export const documentCollectionHandlers = [CreateDocumentCollectionHandler, UpdateDocumentCollectionHandler];
