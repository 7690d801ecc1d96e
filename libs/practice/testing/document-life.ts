import { newContentKey } from '#platform/storage/content-key';
import * as collection from '../document-collections/document-collection.commands';
import * as document from '../documents/document.commands';
import * as records from '../records/records.commands';
import type { AnyWriting } from '../records/write-record';
import type { Do } from './work-life';

/** The description of bytes that were just stored. No storage has them. */
const kept = (size: number) => ({
  key: newContentKey(new Date()),
  size,
  sha256: String(size % 10).repeat(64),
});

/** Causes every type of event of documents about a matter and its client. */
export async function liveDocuments(
  act: Do,
  { matterId, clientId }: { matterId: string; clientId: string },
): Promise<void> {
  const { CreateDocumentCollection, CreateDocumentCollectionHandler } = collection;
  const collect = async (body: collection.CreateDocumentCollection['body']) =>
    (await act(CreateDocumentCollection, CreateDocumentCollectionHandler, body)).record.id;
  const keep = async (body: document.CreateDocument['body'], size: number) =>
    (await act(document.CreateDocument, document.CreateDocumentHandler, body, kept(size))).record.id;
  const remove = (writing: AnyWriting, id: string) =>
    act(records.DeleteRecord, records.DeleteRecordHandler, writing, id);

  const outer = await collect({ name: 'Correspondence', subjectId: matterId });
  const inner = await collect({
    name: 'Letters',
    subjectId: matterId,
    parentId: outer,
    externalReference: 'DC1',
  });
  const other = await collect({ name: 'Drafts', subjectId: matterId });
  await act(collection.UpdateDocumentCollection, collection.UpdateDocumentCollectionHandler, other, {
    name: 'Old drafts',
    parentId: outer,
    externalReference: 'DC2',
  });
  await remove(collection.documentCollectionWriting, other);

  const ofClient = await collect({ name: 'Identity', subjectId: clientId });
  await keep({ fileName: 'Passport.pdf', contentType: 'application/pdf', subjectId: clientId }, 0);
  const deed = await keep(
    {
      fileName: 'Deed.pdf',
      contentType: 'application/pdf',
      documentCollectionId: inner,
      externalReference: 'D1',
    },
    48_213,
  );
  const signed = { fileName: 'Deed, signed.pdf', contentType: 'application/pdf' };
  const { AddDocumentVersion, AddDocumentVersionHandler } = document;
  await act(AddDocumentVersion, AddDocumentVersionHandler, deed, signed, kept(51_020));
  await act(records.UpdateRecord, records.UpdateRecordHandler, document.documentWriting, deed, {
    fileName: 'Deed.txt',
    contentType: 'text/plain',
    documentCollectionId: ofClient,
    externalReference: 'D2',
  });
  await remove(document.documentWriting, deed);
}
