import { validateHeaderValue } from 'node:http';
import * as fc from 'fast-check';
import { newContentKey } from '#platform/storage/content-key';
import { addVersion, Document, type DocumentState, MAX_VERSIONS, requireFresh } from './document';
import { downloadType } from './document.content-type';
import { rangeOf } from './document.range';

const content = (key: string) => ({
  key,
  size: 1,
  sha256: 'x',
  createdOn: '2025-06-12T10:00:00.000Z',
  createdBy: 'a',
});
const created = {
  type: 'DocumentCreated',
  data: {
    fileName: 'a',
    contentType: 'text/plain',
    documentCollectionId: 'c',
    subjectId: 's',
    content: content('1'),
    externalReference: null,
    referenceOwner: null,
  },
};
const version = (key: string) => ({ fileName: key, contentType: 'text/csv', content: content(key) });

describe('a document', () => {
  const first = Document.evolve(undefined, created);
  const second = addVersion(first, version('2')).reduce(Document.evolve, first) as DocumentState;

  it('has the name and the type of its last version', () => {
    expect(first).not.toHaveProperty('content');
    expect(second).toMatchObject({ fileName: '2', contentType: 'text/csv', documentCollectionId: 'c' });
    expect(second.versions.map(({ number, key, fileName }) => [number, key, fileName])).toEqual([
      [1, '1', 'a'],
      [2, '2', '2'],
    ]);
  });

  it('keeps the bytes of all its versions, also when it is deleted', () => {
    const deleted = Document.evolve(second, { type: 'DocumentDeleted', data: {} });
    const held = ['1', '2'].map((key) => ({ kind: 'document_content', key }));
    for (const state of [second, deleted]) expect(Document.keys(state)).toEqual(held);
    expect(Document.links(second)).toHaveLength(1);
    expect(Document.links(deleted)).toEqual([]);
  });

  it('cannot have more versions than MAX_VERSIONS', () => {
    const versions = Array.from({ length: MAX_VERSIONS }, (_, index) => ({
      ...second.versions[0],
      number: index + 1,
    }));
    expect(() => addVersion({ ...second, versions }, version('x'))).toThrow(
      expect.objectContaining({ code: 'too_many_versions' }),
    );
  });

  it('refuses bytes that are so old that a sweep may have removed them', () => {
    const now = new Date('2026-01-01T12:00:00Z');
    const key = (minutes: number) => newContentKey(new Date(now.getTime() - minutes * 60_000));
    expect(() => requireFresh(key(19), now)).not.toThrow();
    expect(() => requireFresh(key(21), now)).toThrow(expect.objectContaining({ code: 'upload_expired' }));
  });
});

describe('a range', () => {
  const number = fc.option(fc.nat(30), { nil: '' });

  it('is the part of the requested bytes that the file has, or refused when it has none of them', () => {
    fc.assert(
      fc.property(fc.nat(20), number, number, (size, from, to) => {
        let range: ReturnType<typeof rangeOf>;
        try {
          range = rangeOf(`bytes=${from}-${to}`, size);
        } catch (error) {
          expect(error).toMatchObject({
            code: 'range_not_satisfiable',
            headers: { 'Content-Range': `bytes */${size}` },
          });
          // No byte of the file is asked for.
          expect(from === '' ? to === 0 || size === 0 : Number(from) >= size).toBe(true);
          return;
        }
        const isNone = from === '' ? to === '' : to !== '' && Number(to) < Number(from);
        expect(range === undefined).toBe(isNone);
        if (!range) return;
        const bytes = Array.from({ length: size }, (_, index) => index);
        const asked =
          from === '' ? bytes.slice(-to) : bytes.slice(Number(from), to === '' ? size : Number(to) + 1);
        expect(bytes.slice(range.first, range.last + 1)).toEqual(asked);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=1-2,4-5',
    'bytes=1x-2',
    'items=1-2',
  ])('is none for the header %j', (header) => {
    expect(rangeOf(header, 10)).toBeUndefined();
  });
});

describe('the type of a download', () => {
  it.each([
    'application/pdf',
    'text/plain; charset=utf-8',
    'IMAGE/PNG',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ])('is that of the document when it is %s', (type) => {
    expect(downloadType(type)).toBe(type);
  });

  it.each([
    'text/html',
    'image/svg+xml',
    'application/xml',
    'text/plainish',
    'application/pdfx',
    'application/x-msdownload',
  ])('is application/octet-stream when that of the document is %s', (type) => {
    expect(downloadType(type)).toBe('application/octet-stream');
  });

  it('has all parameters except those that a header cannot hold', () => {
    const named = (name: string) => `text/plain; name="${name}"`;
    expect(downloadType(named('Größe'))).toBe(named('Größe'));
    expect(downloadType(named('契約'))).toBe('text/plain');
    const type = 'text/plain ; charset=utf-8;a="; name=b"; name="契約;=";n=1 ; c="契"';
    expect(downloadType(type)).toBe('text/plain ; charset=utf-8;a="; name=b";n=1');
    for (const name of ['Größe', '契約', '\u0080\ud83d\ude00'])
      expect(() => validateHeaderValue('content-type', downloadType(named(name)))).not.toThrow();
  });
});
