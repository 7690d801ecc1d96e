import { renameSync, rmSync, writeFileSync } from 'node:fs';
import type { ApiClient, Json } from '../support/client';
import { formOf } from '../support/form';
import { waitFor } from '../support/wait-for';
import { DocumentsClient, sha256, storedFiles } from './documents';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { mark, matter } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let stranger: ApiClient;
let colleague: ApiClient;
let matterId: string;
let collectionId: string;

beforeAll(async () => {
  office = await Office.open();
  const others = [await office.tenant('leeds'), await office.tenant('york')];
  const integration = await office.integration('leeds');
  [api, stranger, colleague] = [...others, await office.caller('leeds', integration)].map(
    (caller) => new DocumentsClient(caller, office.app.baseUrl),
  );
  matterId = await matter(api);
  collectionId = await api.create('documentcollections', { name: 'Letters', subjectId: matterId });
});
afterAll(() => office.close());

const collection = (as: ApiClient, subjectId: string) =>
  as.create('documentcollections', { name: 'Letters', subjectId });
const upload = (fields: object = {}): Promise<Json> =>
  api.data('POST', 'documents', { fileName: 'a.txt', documentCollectionId: collectionId, ...fields });
const download = (id: string, headers: Record<string, string> = {}, query = '') =>
  api.get(`documents/${id}/download${query}`, headers);

describe('documents', () => {
  behavesAsRecords(
    {
      path: 'documents',
      kind: 'document',
      optional: {
        field: 'contentType',
        first: 'text/plain',
        second: 'text/csv',
        cleared: 'application/octet-stream',
      },
      required: 'fileName',
      sorts: ['fileName', 'createdOn', 'updatedOn'],
      actions: [],
      badFilters: ['documentCollectionId=1', `subjectId=role_${'0'.repeat(32)}`, 'size=1'],
    },
    () => ({
      api,
      stranger,
      colleague,
      body: async (keyword) => ({ fileName: `${keyword} ${mark()}.txt`, documentCollectionId: collectionId }),
    }),
  );
});

describe('a version', () => {
  const add = (id: string, fields: object, headers = {}) =>
    api.post(`documents/${id}/versions`, formOf({ fileName: 'b.txt', file: 'second', ...fields }), headers);

  it('replaces the one before, which is kept', async () => {
    const { id } = await upload({ file: 'first' });
    const added = await add(id, { contentType: 'text/csv' }, { 'If-Match': '"1"' });
    expect(added.body.data).toMatchObject({
      version: 2,
      fileName: 'b.txt',
      contentType: 'text/csv',
      size: 6,
      sha256: sha256('second'),
      versions: [
        { number: 1, fileName: 'a.txt', size: 5, sha256: sha256('first') },
        { number: 2, fileName: 'b.txt', size: 6, sha256: sha256('second') },
      ],
    });
    expect(await api.data('GET', `documents/${id}`)).toMatchObject(added.body.data);
    expect((await download(id)).body).toBe('second');
    expect((await download(id, {}, '?version=1')).body).toBe('first');
    expectProblem(await download(id, {}, '?version=3'), 404, 'not_found');
    expectProblem(await download(id, {}, '?version=0'), 400, 'invalid_query');
    const { rows } = await api.data('GET', `documents/${id}/history`);
    expect(rows.map(({ type }: Json) => type)).toEqual(['DocumentCreated', 'DocumentVersionAdded']);
  });

  it('can also be raw bytes, and is safe to repeat', async () => {
    const { id } = await upload();
    const headers = { 'Content-Type': 'text/plain', 'Idempotency-Key': mark() };
    const once = await api.post(`documents/${id}/versions?fileName=c.txt`, 'third', headers);
    const again = await api.post(`documents/${id}/versions?fileName=c.txt`, 'third', headers);
    expect([once.status, again.body]).toEqual([200, once.body]);
    expect((await api.data('GET', `documents/${id}`)).versions).toHaveLength(2);
  });

  it('is refused for a document that was changed meanwhile, deleted or is unknown, and leaves nothing', async () => {
    const { id } = await upload();
    const before = storedFiles(office);
    expectProblem(await add(id, {}, { 'If-Match': '"7"' }), 412, 'version_mismatch');
    expectProblem(await add(id, { documentCollectionId: collectionId }), 422, 'validation_failed');
    await api.delete(`documents/${id}`);
    expectProblem(await add(id, {}), 404, 'not_found');
    expectProblem(await add(`document_${'0'.repeat(32)}`, {}), 404, 'not_found');
    expect(storedFiles(office)).toEqual(before);
  });
});

describe('a change', () => {
  it('moves a document to another collection, even of another subject', async () => {
    const { id } = await upload();
    const subjectId = await matter(api);
    const documentCollectionId = await collection(api, subjectId);
    await api.data('PATCH', `documents/${id}`, { documentCollectionId });
    expect(await api.data('GET', `documents/${id}`)).toMatchObject({ documentCollectionId, subjectId });
    expect(await api.rows('documents', { documentCollectionId })).toMatchObject([{ id }]);
    expect(await api.rows('documents', { subjectId })).toMatchObject([{ id }]);
    expectProblem(await api.delete(`documentcollections/${documentCollectionId}`), 409, 'in_use');
    for (const [field, value, code] of [
      ['documentCollectionId', null, 'validation_failed'],
      ['documentCollectionId', `documentcollection_${'0'.repeat(32)}`, 'documentcollection_not_found'],
      ['subjectId', subjectId, 'validation_failed'],
      ['fileName', 'a/b', 'validation_failed'],
      ['sha256', sha256(''), 'validation_failed'],
    ])
      expectProblem(
        await api.patch(`documents/${id}`, { [field as string]: value }),
        422,
        code as string,
        `/${field}`,
      );
  });
});

describe('a download', () => {
  it('has the present name and type of the document; an earlier version has those of its time', async () => {
    const { id } = await upload({ file: 'first', contentType: 'text/plain' });
    const called = async (query = '') => {
      const { headers } = await download(id, {}, query);
      return [headers.get('content-type'), headers.get('content-disposition')];
    };
    await api.data('PATCH', `documents/${id}`, { fileName: 'now.csv', contentType: 'text/csv' });
    const now = ['text/csv', 'attachment; filename=now.csv'];
    expect([await called(), await called('?version=1')]).toEqual([now, now]);
    await api.data('POST', `documents/${id}/versions`, formOf({ fileName: 'b.txt', file: 'second' }));
    await api.data('PATCH', `documents/${id}`, { fileName: 'now.csv', contentType: 'text/csv' });
    expect(await called()).toEqual(now);
    expect(await called('?version=1')).toEqual(['text/plain', 'attachment; filename=a.txt']);
  });

  const text = 'The quick brown fox';

  it('is an attachment of the bytes, with their digest', async () => {
    const fileName = 'Zoë’s “deed”; a="b".txt';
    const { id } = await upload({ fileName, contentType: 'text/plain; charset=utf-8', file: text });
    const { status, headers, body } = await download(id);
    expect([status, body]).toEqual([200, text]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(text.length),
      'content-disposition': `attachment; filename="Zo??s ?deed?; a=\\"b\\".txt"; filename*=UTF-8''Zo%C3%AB%E2%80%99s%20%E2%80%9Cdeed%E2%80%9D%3B%20a%3D%22b%22.txt`,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: `"${sha256(text)}"`,
      'repr-digest': `sha-256=:${Buffer.from(sha256(text), 'hex').toString('base64')}:`,
      ratelimit: expect.any(String),
    });
  });

  it.each(['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/javascript', 'TEXT/HTML; charset=x'])(
    'does not say that bytes are %s',
    async (contentType) => {
      const { id } = await upload({ contentType });
      expect((await download(id)).headers.get('content-type')).toBe('application/octet-stream');
    },
  );

  it.each([
    ['bytes=0-3', 'The ', '0-3'],
    ['bytes=4-', 'quick brown fox', '4-18'],
    ['bytes=-3', 'fox', '16-18'],
    ['bytes=16-99', 'fox', '16-18'],
    ['bytes=-99', text, '0-18'],
    ['bytes=0-0,2-3', text, null],
    ['lines=1-2', text, null],
    ['bytes=3-1', text, null],
  ])('answers %s', async (range, wanted, part) => {
    const { id } = await upload({ file: text });
    const { status, headers, body } = await download(id, { Range: range });
    expect([status, body, headers.get('content-length')]).toEqual([
      part ? 206 : 200,
      wanted,
      String(wanted.length),
    ]);
    expect(headers.get('content-range')).toBe(part && `bytes ${part}/19`);
    const gone = await download(id, { Range: 'bytes=19-' });
    expectProblem(gone, 416, 'range_not_satisfiable');
    expect(gone.headers.get('content-range')).toBe('bytes */19');
  });

  it('is not repeated for a client that has the bytes, and begins again when they have changed', async () => {
    const { id } = await upload({ file: text });
    const etag = `"${sha256(text)}"`;
    for (const tag of [etag, `"x", W/${etag}`, '*']) {
      const { status, headers, body } = await download(id, { 'If-None-Match': tag });
      expect([status, headers.get('etag'), body]).toEqual([304, etag, undefined]);
    }
    const asked = await api.send('HEAD', `documents/${id}/download`, undefined, { 'If-None-Match': etag });
    expect([asked.status, asked.headers.get('etag')]).toEqual([304, etag]);
    expect(asked.headers.get('content-length')).toBeNull();
    expect((await download(id, { 'If-None-Match': '"x"' })).status).toBe(200);
    expect((await download(id, { Range: 'bytes=-3', 'If-Range': etag })).body).toBe('fox');
    expect((await download(id, { Range: 'bytes=-3', 'If-Range': '"x"' })).body).toBe(text);
  });

  it('answers HEAD with its headers only', async () => {
    const { id } = await upload({ file: text });
    const { status, headers, body } = await api.send('HEAD', `documents/${id}/download`);
    expect([status, body, headers.get('content-length')]).toEqual([200, undefined, '19']);
    expect(headers.get('etag')).toBe(`"${sha256(text)}"`);
  });

  it('is refused for a document that is deleted, unknown, or of another firm', async () => {
    const { id } = await upload();
    expectProblem(await stranger.get(`documents/${id}/download`), 404, 'not_found');
    expectProblem(await download(`document_${'0'.repeat(32)}`), 404, 'not_found');
    await api.delete(`documents/${id}`);
    expectProblem(await download(id), 404, 'not_found');
  });

  it('reports missing or different bytes, in the answer and in the log', async () => {
    const before = new Set(storedFiles(office));
    const { id } = await upload({ file: text });
    const [path] = storedFiles(office).filter((name) => !before.has(name));
    const refused = async (bytes: string, why: string) => {
      writeFileSync(path, bytes);
      const answer = await download(id);
      expectProblem(answer, 503, 'content_unavailable');
      expect(answer.headers.get('etag')).toBeNull();
      expect(answer.headers.get('retry-after')).toBe('10');
      await waitFor(() => office.output().includes(why), { description: why });
    };
    await refused(text.toUpperCase(), 'its bytes are not those that were stored');
    await refused('x', 'the storage has 1 of its 19 bytes');
    rmSync(path);
    expectProblem(await download(id, { Range: 'bytes=1-2' }), 503, 'content_unavailable');
    await waitFor(() => office.output().includes('the storage has none of its 19 bytes'), {
      description: 'a line about the missing file',
    });
  });
});

it('refuses documents while the folder cannot be used, and stores them again afterwards', async () => {
  const { documents } = office;
  const send = () => api.post('documents', formOf({ file: 'a', documentCollectionId: collectionId }));
  renameSync(documents, `${documents}-away`);
  writeFileSync(documents, 'not a folder');
  const answer = await send();
  rmSync(documents);
  renameSync(`${documents}-away`, documents);
  expectProblem(answer, 503, 'storage_unavailable');
  expect(answer.headers.get('retry-after')).toBe('10');
  expect((await send()).status).toBe(201);
});
