import type { Folded } from '#event-store/events';
import { at, via } from '#event-store/load';
import type { Answers } from '#event-store/unit-of-work';
import { type Kind, kindOf } from '#kernel/ids';
import { type FieldOptions, IdField } from '#platform/http/input/fields';
import { IdFilter } from '#platform/http/input/list-query';
import { Client } from '../clients/client.lookup';
import { Entity, presentEntity } from '../entities/entity.lookup';
import { Matter } from '../matters/matter.lookup';
import { type RecordState, referred } from '../records/record';
import { DocumentCollection, type DocumentCollectionState } from './document-collection';

/** The kinds of records that documents can be about. */
const kinds = ['client', 'matter', 'entity'] as const satisfies Kind[];

export const SubjectField = (options: FieldOptions): PropertyDecorator => IdField(kinds, options);
export const SubjectFilter = (description: string): PropertyDecorator => IdFilter(kinds, description);

/** Questions for the subject with that id. */
export function subjectQuestions(id: string | null | undefined) {
  const kind = kindOf(id);
  return {
    client: at(Client, kind === 'client' ? id : null),
    matter: at(Matter, kind === 'matter' ? id : null),
    entity: at(Entity, kind === 'entity' ? id : null),
  };
}

/**
 * Checks that the subject that a field names exists.
 * @throws DomainError `<kind>_not_found`, `entity_anonymised` (422)
 */
export function presentSubject(
  id: string,
  { client, matter, entity }: Answers<ReturnType<typeof subjectQuestions>>,
): void {
  if (kindOf(id) === 'entity') presentEntity(entity, 'subjectId');
  else referred<RecordState>(client ?? matter, kindOf(id)!, 'subjectId');
}

/** Questions for a collection that is to hold a document, and for the entity that it may be about. */
export function placeQuestions(id: string | null | undefined) {
  return { collection: at(DocumentCollection, id), person: via(Entity, id, 'subjectId') };
}

/**
 * The collection that the field documentCollectionId names.
 * @throws DomainError `documentcollection_not_found`, `entity_anonymised` (422)
 */
export function openCollection({
  collection,
  person,
}: Answers<ReturnType<typeof placeQuestions>>): Folded<DocumentCollectionState> {
  const field = 'documentCollectionId';
  const found = referred(collection, 'documentcollection', field);
  if (person) presentEntity(person, field);
  return found;
}
