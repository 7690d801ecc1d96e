import type { RequestContext } from '#platform/request-context';
import { newContentKey } from '#platform/storage/content-key';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { definitions } from '../areas';
import { AnonymiseEntity, AnonymiseEntityHandler } from '../entities/entity.anonymise';
import { CreateEntity, CreateEntityHandler } from '../entities/entity.commands';
import { createFirm } from '../testing/firm';
import {
  AddDocumentVersion,
  AddDocumentVersionHandler,
  CreateDocument,
  CreateDocumentHandler,
} from './document.commands';

let store: TestStore;
let context: RequestContext;

beforeAll(async () => {
  store = await createTestStore(definitions);
  context = await createFirm(store);
});
afterAll(() => store.close());

const content = () => ({ key: newContentKey(new Date()), size: 1, sha256: 'x' });

it('a document about a person who was erased takes no further version', async () => {
  const person = new CreateEntity(context, { entityType: 'Individual', lastName: 'Doe' });
  const { id: subjectId } = (await new CreateEntityHandler(store.store).execute(person)).record;
  const create = new CreateDocument(context, { fileName: 'a', subjectId }, content());
  const { id } = (await new CreateDocumentHandler(store.store).execute(create)).record;
  const addVersion = () =>
    new AddDocumentVersionHandler(store.store).execute(
      new AddDocumentVersion(context, id, { fileName: 'b' }, content()),
    );
  await addVersion();
  await new AnonymiseEntityHandler(store.store).execute(new AnonymiseEntity(context, subjectId));
  await expect(addVersion()).rejects.toMatchObject({ fault: 'conflict', code: 'entity_anonymised' });
});
