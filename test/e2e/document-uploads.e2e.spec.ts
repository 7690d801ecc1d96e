import type { ApiClient, Json } from '../support/client';
import { formOf } from '../support/form';
import { DocumentsClient, sha256, storedFiles } from './documents';
import { Office } from './office';
import { mark, matter, person } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let stranger: ApiClient;
let matterId: string;
let collectionId: string;

beforeAll(async () => {
  office = await Office.open();
  const tenants = [await office.tenant('leeds'), await office.tenant('york')];
  [api, stranger] = tenants.map((caller) => new DocumentsClient(caller, office.app.baseUrl));
  matterId = await matter(api);
  collectionId = await api.create('documentcollections', { name: 'Letters', subjectId: matterId });
});
afterAll(() => office.close());

const collection = (as: ApiClient, subjectId: string) =>
  as.create('documentcollections', { name: 'Letters', subjectId });
const upload = (fields: object = {}): Promise<Json> =>
  api.data('POST', 'documents', { fileName: 'a.txt', documentCollectionId: collectionId, ...fields });
const raw = (query: Record<string, string>, bytes: string | Uint8Array, headers = {}) => {
  const own = { 'Content-Type': 'text/plain', ...headers };
  return api.post(`documents?${new URLSearchParams(query)}`, bytes, own);
};
const formWith = (fileName: string, fields: object = { documentCollectionId: collectionId }) => {
  const form = formOf(fields);
  form.set('file', new Blob(['x']), fileName);
  return form;
};
const download = (id: string, headers: Record<string, string> = {}, query = '') =>
  api.get(`documents/${id}/download${query}`, headers);

describe('an upload', () => {
  it('takes a form whose fields come before or after the file', async () => {
    const [before, after] = [new FormData(), new FormData()];
    const file = new File(['Dear Sir'], 'Zoë’s “deed”.pdf', { type: 'application/pdf' });
    after.set('file', file);
    for (const form of [before, after]) form.set('documentCollectionId', collectionId);
    before.set('file', file);
    for (const form of [before, after]) {
      const made = await api.data('POST', 'documents', form);
      expect(made).toMatchObject({
        fileName: file.name,
        contentType: 'application/pdf',
        documentCollectionId: collectionId,
        subjectId: matterId,
        size: 8,
        sha256: sha256('Dear Sir'),
      });
      expect(made.versions).toEqual([
        {
          number: 1,
          fileName: file.name,
          contentType: 'application/pdf',
          size: 8,
          sha256: sha256('Dear Sir'),
          createdOn: made.createdOn,
          createdBy: made.createdBy,
        },
      ]);
      const shown = await api.data('GET', `documents/${made.id}`);
      expect(shown).toEqual({ ...made, documentCollectionName: 'Letters' });
    }
  });

  it('lets fields override what the file says', async () => {
    const named = await upload({
      fileName: 'b.csv',
      contentType: 'text/csv',
      sha256: sha256('x').toUpperCase(),
      file: 'x',
    });
    expect(named).toMatchObject({ fileName: 'b.csv', contentType: 'text/csv', size: 1 });
  });

  it.each(['text/plain', 'application/json', 'application/merge-patch+json', 'image/svg+xml'])(
    'takes bytes as they are, of the type %s',
    async (type) => {
      const text = '{"not": "parsed"';
      const query = { fileName: 'c.bin', documentCollectionId: collectionId };
      const { status, body } = await raw(query, text, { 'Content-Type': type });
      expect([status, body.data.contentType, body.data.sha256]).toEqual([201, type, sha256(text)]);
    },
  );

  it('takes an empty file, in both forms', async () => {
    expect(await upload({ file: '' })).toMatchObject({ size: 0, sha256: sha256('') });
    const { body } = await raw({ fileName: 'empty', documentCollectionId: collectionId }, '');
    expect(body.data).toMatchObject({ size: 0, sha256: sha256('') });
    const answer = await download(body.data.id);
    expect([answer.status, answer.headers.get('content-length'), answer.body]).toEqual([200, '0', undefined]);
    expectProblem(await download(body.data.id, { Range: 'bytes=0-' }), 416, 'range_not_satisfiable');
  });

  it('puts a document with only a subject into its root collection, which is created once', async () => {
    const subjectId = await matter(api);
    const made: Json[] = await Promise.all(
      [1, 2, 3].map(() => api.data('POST', 'documents', { fileName: 'a.txt', subjectId })),
    );
    const roots = await api.rows('documentcollections', { subjectId });
    expect(roots).toMatchObject([{ name: 'Documents', isRoot: true, parentId: null, subjectId }]);
    expect(made.map(({ documentCollectionId }) => documentCollectionId)).toEqual(made.map(() => roots[0].id));
    expect(await api.rows('documents', { subjectId })).toHaveLength(3);
    expectProblem(await api.delete(`matters/${subjectId}`), 409, 'in_use');
  });

  it.each(['entities', 'clients'])('can be about %s too', async (area) => {
    const entityId = await person(api);
    const subjectId = area === 'entities' ? entityId : await api.create('clients', { entityId });
    expect(await api.data('POST', 'documents', { fileName: 'a.txt', subjectId })).toMatchObject({
      subjectId,
    });
  });

  it('is refused when its digest differs, and leaves nothing', async () => {
    const before = storedFiles(office);
    const digest = (bytes: string) => Buffer.from(sha256(bytes), 'hex').toString('base64');
    const query = { fileName: 'a', documentCollectionId: collectionId };
    const given = (header: string) => raw(query, 'ours', { 'Content-Digest': header });
    expectProblem(await given(`sha-256=:${digest('theirs')}:`), 422, 'digest_mismatch');
    expectProblem(await given('sha-256=ours'), 400, 'content_digest_invalid');
    expectProblem(await given('sha-256=:AAAA:'), 400, 'content_digest_invalid');
    const field = { fileName: 'a', documentCollectionId: collectionId, file: 'ours' };
    const wrong = await api.post('documents', { ...field, sha256: sha256('theirs') });
    expectProblem(wrong, 422, 'digest_mismatch', '/sha256');
    expectProblem(
      await api.post('documents', { ...field, sha256: 'x' }),
      422,
      'validation_failed',
      '/sha256',
    );
    expect(storedFiles(office)).toEqual(before);
    const right = `sha-512=:${digest('x')}:, sha-256=:${digest('ours')}:`;
    expect((await given(right)).status).toBe(201);
  });

  it.each([
    '../../etc/passwd',
    '/etc/passwd',
    'C:\\boot.ini',
    '..',
    'a\r\nSet-Cookie: b=1',
    'nul\u0000.txt',
    'a\u2028b',
    ' ',
    'x'.repeat(256),
  ])('is refused with the name %j, wherever it is given, and leaves nothing', async (fileName) => {
    const before = storedFiles(office);
    const field = await api.post('documents', { fileName, documentCollectionId: collectionId });
    const code = fileName.includes('\0') ? 'invalid_text' : 'validation_failed';
    expectProblem(field, 422, code, '/fileName');
    // Forms escape line ends in a name, so none remain; and folders are left out.
    if (!/[\r\n\0/\\]/.test(fileName))
      expectProblem(await api.post('documents', formWith(fileName)), 422, 'validation_failed', '/fileName');
    const parameter = await raw({ fileName, documentCollectionId: collectionId }, 'x');
    expect([400, 422]).toContain(parameter.status);
    expect(storedFiles(office)).toEqual(before);
  });

  it('is named after the last part of the path that PHP sends as the name of a file', async () => {
    const { id, fileName } = await api.data('POST', 'documents', formWith('/home/ada/deed.pdf'));
    const changed = await api.data('POST', `documents/${id}/versions`, formWith('C:\\deed 2.pdf', {}));
    expect([fileName, changed.fileName]).toEqual(['deed.pdf', 'deed 2.pdf']);
    expectProblem(await api.post('documents', formWith('/home/')), 422, 'validation_failed', '/fileName');
  });

  it.each([
    ['documentCollectionId', () => undefined, 'collection_required'],
    ['documentCollectionId', () => matterId, 'validation_failed'],
    ['documentCollectionId', () => `documentcollection_${'0'.repeat(32)}`, 'documentcollection_not_found'],
    [
      'documentCollectionId',
      async () => collection(stranger, await matter(stranger)),
      'documentcollection_not_found',
    ],
    ['subjectId', () => matter(stranger), 'matter_not_found'],
    ['subjectId', () => matter(api), 'subject_mismatch'],
    ['subjectId', () => collectionId, 'validation_failed'],
    ['contentType', () => 'text', 'validation_failed'],
    ['contentType', () => 'text/plain\r\nX: y', 'validation_failed'],
    ['colour', () => 'red', 'validation_failed'],
  ])('is refused with a wrong %s (%#), and leaves nothing', async (field, value, code) => {
    const before = storedFiles(office);
    const fields = { fileName: 'a', documentCollectionId: collectionId, [field]: (await value()) ?? null };
    expectProblem(await api.post('documents', fields), 422, code, `/${field}`);
    expect(storedFiles(office)).toEqual(before);
  });

  it('is refused without a file, with two, or as an incomplete form, and leaves nothing', async () => {
    const before = storedFiles(office);
    const refused = async (body: string | FormData | undefined, code: string, type?: string) => {
      const headers: Record<string, string> = type ? { 'Content-Type': type } : {};
      expectProblem(await api.send('POST', 'documents', body, headers), 400, code);
    };
    const fields = { fileName: 'a', documentCollectionId: collectionId };
    await refused(formOf(fields), 'file_missing');
    await refused(undefined, 'file_missing');
    const two = formOf({ ...fields, file: 'x' });
    two.set('other', new Blob(['y']), 'y');
    await refused(two, 'too_many_files');
    await refused(formOf({ ...fields, externalReference: 'x'.repeat(5000), file: 'x' }), 'field_too_long');
    const twice = formOf({ ...fields, file: 'x' });
    twice.append('fileName', 'b');
    await refused(twice, 'field_repeated');
    await refused(
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbytes',
      'malformed_form',
      'multipart/form-data; boundary=b',
    );
    await refused('', 'malformed_form', 'multipart/form-data; boundary=b');
    await refused('bytes', 'malformed_form', 'multipart/form-data');
    const json = await api.post('documents/', JSON.stringify(fields), { 'Content-Type': 'application/json' });
    expect(json.status).not.toBe(201);
    const asked = await api.send(
      'POST',
      `documents?${new URLSearchParams({ documentCollectionId: collectionId })}`,
      fields,
    );
    expectProblem(asked, 422, 'validation_failed', '/fileName');
    expect(storedFiles(office)).toEqual(before);
  });

  it('is refused when its name is not in UTF-8, unless a field gives another, and leaves nothing', async () => {
    const before = storedFiles(office);
    const part = (disposition: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
    const sent = (...parts: string[]) =>
      api.send('POST', 'documents', Buffer.from(`${parts.join('')}--b--\r\n`, 'latin1'), {
        'Content-Type': 'multipart/form-data; boundary=b',
      });
    const file = part('name="file"; filename="Jos\xe9.txt"', 'bytes');
    const into = part('name="documentCollectionId"', collectionId);
    expectProblem(await sent(into, file), 400, 'malformed_form', '/fileName');
    expect(storedFiles(office)).toEqual(before);
    const named = await sent(into, file, part('name="fileName"', 'José.txt').replace('é', '\xc3\xa9'));
    expect([named.status, named.body.data.fileName]).toEqual([201, 'José.txt']);
  });

  it('gives the first answer to a repeat with the same bytes, and refuses others', async () => {
    const key = { 'Idempotency-Key': mark() };
    const query = { fileName: 'a', documentCollectionId: collectionId };
    const once = await raw(query, 'bytes', key);
    const before = storedFiles(office);
    const again = await raw(query, 'bytes', key);
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([
      201,
      once.body,
      'true',
    ]);
    expectProblem(await raw(query, 'others', key), 422, 'idempotency_key_reused');
    expect(storedFiles(office)).toEqual(before);
  });

  it('reads no byte from a client without the permission', async () => {
    const integration = await office.integration('leeds', ['--limit', '2', '--period', '86400']);
    const reader = await office.caller('leeds', integration, { scope: 'documents:read' });
    const before = storedFiles(office);
    const form = formOf({ fileName: 'a', documentCollectionId: collectionId, file: 'x' });
    expectProblem(await api.post('documents', form, { Authorization: 'Bearer x' }), 401, 'invalid_token');
    expectProblem(await reader.post('documents', form), 403, 'permission_denied');
    const writer = await office.caller('leeds', integration);
    expect((await writer.post('documents', form)).status).toBe(201);
    const [made] = storedFiles(office).filter((name) => !before.includes(name));
    expectProblem(await writer.post('documents', form), 429, 'rate_limited');
    expect(storedFiles(office)).toEqual(expect.arrayContaining([...before, made]));
    expect(storedFiles(office)).toHaveLength(before.length + 1);
  });

  it('is possible only on its own routes', async () => {
    const form = formOf({ name: 'x', file: 'x' });
    expectProblem(await api.post('divisions', form), 415, 'unsupported_media_type');
    expectProblem(
      await api.post('divisions', 'x', { 'Content-Type': 'text/plain' }),
      415,
      'unsupported_media_type',
    );
    const unread = { 'Content-Type': 'application/x-unread' };
    expectProblem(await api.post('divisions', '{"name":"x"}', unread), 415, 'unsupported_media_type');
  });
});
