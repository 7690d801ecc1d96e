import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testConfig } from '../../../test/support/auth-application';
import { createTestDatabase, execute, type TestDatabase } from '../../../test/support/database';
import { run } from '../cli';

describe('the command line on erased people', () => {
  let test: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'practice-subjects-'));
  });
  afterAll(async () => {
    await test.drop();
    await rm(folder, { recursive: true });
  });

  async function cli(...args: string[]) {
    const told: string[] = [];
    const code = await run([...args, '--json'], {
      config: () => testConfig(test.url),
      out: (text) => told.push(text),
      err: (text) => told.push(text),
    });
    expect(told).toHaveLength(1);
    return { code, answer: JSON.parse(told[0]) };
  }

  async function replay(content: string) {
    const file = join(folder, 'erasures.json');
    await writeFile(file, content);
    return cli('subjects', 'replay-erasures', '--from', file);
  }

  it('lists none at first', async () => {
    expect(await cli('subjects', 'erasures')).toEqual({ code: 0, answer: [] });
    const none = { erased: 0, already: 0, absent: 0, waiting: 0, keys: 0 };
    expect(await cli('subjects', 'replay-erasures')).toEqual({ code: 0, answer: none });
    expect(await replay('[]')).toEqual({ code: 0, answer: none });
  });

  it('reads a file with a byte order mark', async () => {
    expect((await replay('\uFEFF[]')).code).toBe(0);
  });

  it('counts people who are not in this store', async () => {
    await cli('tenants', 'create', '--alias', 'acme', '--name', 'Acme');
    const one = { subject: 'entity_0198c2f1a4b87c3d9e5f60718293a4b5', on: '2025-06-12T10:00:00.000Z' };
    const list = ['acme', 'gone'].map((tenant) => ({ tenant, ...one }));
    const answer = { erased: 0, already: 0, absent: 2, waiting: 0, keys: 0 };
    expect(await replay(JSON.stringify(list))).toEqual({ code: 0, answer });
  });

  it('goes on with other tenants while an import is promoted to one, and exits with 1 when somebody waits', async () => {
    await cli('tenants', 'create', '--alias', 'busy', '--name', 'Busy');
    await execute(
      test.url,
      `insert into event_store.closed_tenants select id, 'promotion_in_progress' from platform.tenants where alias = 'busy'`,
    );
    const one = { subject: 'entity_0198c2f1a4b87c3d9e5f60718293a4b6', on: '2025-06-12T10:00:00.000Z' };
    const list = ['busy', 'acme'].map((tenant) => ({ tenant, ...one }));
    const answer = { erased: 0, already: 0, absent: 1, waiting: 1, keys: 0 };
    expect(await replay(JSON.stringify(list))).toEqual({ code: 1, answer });
  });

  it.each([
    ['not JSON', '{', 'is not JSON'],
    ['in UTF-16', '\0[\0]', 'is not JSON in UTF-8'],
    ['begun by npm', '> cli\n[]', 'npm run -s cli'],
    ['not a list', '{}', 'is not what `subjects erasures --json` prints'],
    ['another kind of record', '[{"tenant":"acme","subject":"client_1","on":"2025-06-12"}]', 'is not what'],
  ])('refuses a file that is %s, and erases nobody', async (_what, content, why) => {
    const { code, answer } = await replay(content);
    expect([code, answer.error.code]).toEqual([1, 'erasures_invalid']);
    expect(answer.error.message).toContain(why);
  });

  it.each([
    '1',
    'March 7',
    '2026-02-31T00:00:00.000Z',
    '2025-06-12T10:00:00Z',
    '-000001-01-01T00:00:00.000Z',
    '+100000-01-01T00:00:00.000Z',
    '2999-01-01T00:00:00.000Z',
  ])('refuses the instant %s, which no erasure has', async (on) => {
    const one = { tenant: 'acme', subject: 'entity_0198c2f1a4b87c3d9e5f60718293a4b5', on };
    const { code, answer } = await replay(JSON.stringify([one]));
    expect([code, answer.error?.code]).toEqual([1, 'erasures_invalid']);
  });

  it('refuses a file that does not exist', async () => {
    const { code, answer } = await cli('subjects', 'replay-erasures', '--from', join(folder, 'nothing'));
    expect([code, answer.error.code]).toEqual([1, 'erasures_invalid']);
  });
});
