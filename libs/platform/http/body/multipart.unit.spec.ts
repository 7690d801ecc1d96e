import * as fc from 'fast-check';
import { DomainError } from '#kernel/errors';
import { readForm } from './multipart';

const TYPE = 'multipart/form-data; boundary=b';
const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, bytes: string) =>
  `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n${bytes}\r\n`;
const END = '--b--\r\n';

/** A body that arrives in pieces of these sizes. */
async function* body(text: string | Buffer, pieces: number[] = []): AsyncGenerator<Buffer> {
  let rest = Buffer.from(text);
  for (const size of pieces) {
    yield rest.subarray(0, size);
    rest = rest.subarray(size);
  }
  yield rest;
}

async function read(text: string | Buffer, pieces?: number[], type = TYPE) {
  const files: unknown[] = [];
  const fields = await readForm(body(text, pieces), type, async ({ fileName, contentType, bytes }) => {
    let content = '';
    for await (const chunk of bytes) content += chunk.toString('latin1');
    files.push([fileName, contentType, content]);
  });
  return { fields, files };
}

it('reads fields before and after the file, in whatever pieces they come', async () => {
  const text = field('before', 'é') + file('ü.txt', 'bytes\r\n--not the end') + field('after', '2') + END;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 20 }), async (pieces) => {
      expect(await read(text, pieces)).toEqual({
        fields: { before: 'é', after: '2' },
        files: [['ü.txt', 'text/plain', 'bytes\r\n--not the end']],
      });
    }),
  );
});

it.each([
  ['two files', file('a', 'x') + file('b', 'y') + END, TYPE, 'too_many_files'],
  ['a field twice', field('a', '1') + field('a', '2') + END, TYPE, 'field_repeated'],
  ['a field that is too long', field('a', 'x'.repeat(4097)) + END, TYPE, 'field_too_long'],
  [
    'too many fields',
    Array.from({ length: 21 }, (_, n) => field(`f${n}`, '1')).join('') + END,
    TYPE,
    'malformed_form',
  ],
  ['no end', field('a', '1'), TYPE, 'malformed_form'],
  ['a file that has no end', file('a', 'x').slice(0, -2), TYPE, 'malformed_form'],
  [
    'a field without a name',
    `--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n${END}`,
    TYPE,
    'malformed_form',
  ],
  ['no boundary', END, 'multipart/form-data', 'malformed_form'],
  ['nothing in it', '', TYPE, 'malformed_form'],
])('refuses a form with %s', async (_what, text, type, code) => {
  await expect(read(text, [], type)).rejects.toMatchObject({ code, fault: 'malformed' });
});

it.each(['', 'Content-Type: text/plain; charset=utf-8\r\n'])(
  'refuses a field that is not in UTF-8 or cannot be stored, as in JSON (header of the field: %j)',
  async (type) => {
    const of = (value: string) =>
      Buffer.from(field('a/b', value).replace('\r\n\r\n', `\r\n${type}\r\n`) + END, 'latin1');
    const pointer = '/a~1b';
    await expect(read(of('Jos\xe9'))).rejects.toMatchObject({
      code: 'malformed_form',
      fault: 'malformed',
      errors: [{ pointer }],
    });
    await expect(read(of('a\0b'))).rejects.toMatchObject({
      code: 'invalid_text',
      fault: 'invalid',
      errors: [{ pointer }],
    });
    expect((await read(of('Jos\xc3\xa9'))).fields).toEqual({ 'a/b': 'José' });
  },
);

it.each([
  ['encoded as .NET does', '=?utf-8?B?bmHDr3ZlIOKCrC50eHQ=?=', 'naïve €.txt'],
  ['encoded as Spring does', '=?UTF-8?Q?na=C3=AFve_=E2=82=AC.txt?=', 'naïve €.txt'],
  ['encoded in several words', '=?utf-8?B?bmHDr3Zl?= =?utf-8?Q?.txt?=', 'naïve.txt'],
  ['encoded, with a slash in the code', '=?utf-8?B?SXM/LnR4dA==?=', 'Is?.txt'],
  ['not encoded', 'a=?b?.txt', 'a=?b?.txt'],
])('reads the name of a file that is %s', async (_who, written, name) => {
  const { files } = await read(file(written, 'x') + END);
  expect(files).toEqual([[name, 'text/plain', 'x']]);
});

describe.each(['name="file"', 'name=file'])('a file that is named twice, in a part with %s', (part) => {
  const STARRED = "filename*=utf-8''na%C3%AFve%20%E2%82%AC.txt";

  async function nameIn(...parameters: string[]): Promise<unknown> {
    const disposition = ['form-data', part, ...parameters].join('; ');
    const { files } = await read(`--b\r\nContent-Disposition: ${disposition}\r\n\r\nx\r\n${END}`);
    return (files as string[][]).map(([name]) => name).join();
  }

  it.each([
    'filename="na?ve ?.txt"',
    'filename="naive.txt"',
    'filename=naive.txt',
    'filename="=?utf-8?B?bmHDr3Zl?="',
    'filename="naive\\".txt"',
  ])('has the name that can have any characters, wherever that stands (the other: %s)', async (plain) => {
    expect(await nameIn(plain, STARRED)).toBe('naïve €.txt');
    expect(await nameIn(STARRED, plain)).toBe('naïve €.txt');
    expect(await nameIn(plain, STARRED, 'size="1"')).toBe('naïve €.txt');
  });

  it.each(["filename*=utf-8''na%EFve.txt", "filename*=koi8-r''na%C3.txt", 'filename*=naïve'])(
    'has the plain name when the other cannot be decoded: %s',
    async (starred) => {
      expect(await nameIn('filename="naïf.txt"', starred)).toBe('naïf.txt');
      expect(await nameIn(starred, 'filename="naïf.txt"')).toBe('naïf.txt');
    },
  );

  it('has no second name when only the text of the first looks like one', async () => {
    const plain = `filename="a; filename*=utf-8''b"`;
    expect(await nameIn(plain)).toBe("a; filename*=utf-8''b");
  });

  it('has a name without folders', async () => {
    expect(await nameIn('filename="deed.pdf"', "filename*=utf-8''%2Fhome%2Fada%2Facte.pdf")).toBe('acte.pdf');
  });
});

it('a file may have only the name that can have any characters', async () => {
  const disposition = `form-data; name="file"; filename*=iso-8859-1'fr'%E9t%E9.txt`;
  const { files } = await read(`--b\r\nContent-Disposition: ${disposition}\r\n\r\nx\r\n${END}`);
  expect(files).toEqual([['été.txt', 'text/plain', 'x']]);
});

it.each([
  ['as PHP sends it', '/home/ada/deed.pdf'],
  ['of Windows', 'C:\\Users\\ada\\deed.pdf'],
  ['of Windows, with escaped backslashes', 'C:\\\\Users\\\\ada\\\\deed.pdf'],
  ['that is relative', '../deed.pdf'],
  ['that is encoded', '=?utf-8?B?L2hvbWUvYWRhL2RlZWQucGRm?='],
])('leaves out the folders when the name of a file is a path %s', async (_what, path) => {
  const { files } = await read(file(path, 'x') + END);
  expect(files).toEqual([['deed.pdf', 'text/plain', 'x']]);
});

it.each(['', 'Content-Type: application/pdf\r\n'])(
  'takes the part named file as the file when it has no name, as .NET sends bytes (header of the part: %j)',
  async (type) => {
    const part = `--b\r\nContent-Disposition: form-data; name=file\r\n${type}\r\nbytes\r\n`;
    const { fields, files } = await read(field('fileName', 'deed.pdf') + part + END);
    expect(fields).toEqual({ fileName: 'deed.pdf' });
    // RFC 7578, section 4.4: the type of a part is text/plain by default.
    expect(files).toEqual([[undefined, type ? 'application/pdf' : 'text/plain', 'bytes']]);
  },
);

it('takes fields with names that every object inherits as ordinary fields', async () => {
  const { fields } = await read(field('__proto__', '1') + field('toString', '2') + END);
  expect(Object.entries(fields)).toEqual([
    ['__proto__', '1'],
    ['toString', '2'],
  ]);
});

describe('a file that is refused, or a body that breaks off', () => {
  const refusal = new DomainError('too_large', 'refused', 'Refused.');

  it('ends the reading at once', async () => {
    let asked = 0;
    async function* endless() {
      yield Buffer.from(file('a', '').slice(0, -2));
      for (; ; asked++) yield Buffer.alloc(65_536);
    }
    const take = async ({ bytes }: { bytes: AsyncIterable<Buffer> }) => {
      for await (const chunk of bytes) if (chunk.length > 0) throw refusal;
    };
    await expect(readForm(endless(), TYPE, take)).rejects.toBe(refusal);
    expect(asked).toBeLessThan(10);
  });

  it('is reported to the reader of the file, which is then waited for', async () => {
    async function* broken() {
      yield Buffer.from(file('a', 'beginning').slice(0, -2));
      throw refusal;
    }
    let told: unknown;
    const reading = readForm(broken(), TYPE, async ({ bytes }) => {
      try {
        for await (const _ of bytes);
      } catch (error) {
        told = error;
        throw error;
      }
    });
    await expect(reading).rejects.toBe(refusal);
    expect(told).toBe(refusal);
  });
});
