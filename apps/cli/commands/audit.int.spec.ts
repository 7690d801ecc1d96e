import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testConfig } from '../../../test/support/auth-application';
import { createTestDatabase, execute, type TestDatabase } from '../../../test/support/database';
import { waitFor } from '../../../test/support/wait-for';
import { run } from '../cli';

/** The number of events of a new tenant, its start data included. */
const EACH = 101;

describe('cli audit', () => {
  let test: TestDatabase;
  let folder: string;
  let out: string[] = [];
  let err: string[] = [];

  const cli = async (...args: string[]) => {
    [out, err] = [[], []];
    const terminal = { out: (text: string) => out.push(text), err: (text: string) => err.push(text) };
    return run(args, { config: () => testConfig(test.url), ...terminal });
  };
  const json = async (...args: string[]) => {
    const code = await cli(...args, '--json');
    return { code, answer: out.length > 0 ? JSON.parse(out[0]) : undefined };
  };
  const sql = (text: string) => execute<Record<string, string>>(test.url, text);

  beforeAll(async () => {
    test = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'audit-'));
    for (const alias of ['acme', 'other', 'quiet']) {
      await cli('tenants', 'create', '--alias', alias, '--name', 'Confidential Name');
    }
  });
  afterAll(async () => {
    await test.drop();
    await rm(folder, { recursive: true });
  });

  it('reports what has no seal yet, and exits with 0', async () => {
    const { code, answer } = await json('audit', 'verify');
    expect(code).toBe(0);
    expect(answer).toEqual({
      intact: true,
      tenants: ['acme', 'other', 'quiet'].map((tenant) => ({
        tenant,
        blocks: 0,
        sealed: 0,
        unsealed: EACH,
        unsealedSince: expect.stringMatching(/^20.*Z$/),
        problem: null,
      })),
    });
    expect(await json('audit', 'head')).toEqual({ code: 0, answer: [] });
  });

  it('seals, and prints the latest seals', async () => {
    let sealed = 0;
    await waitFor(async () => (sealed += (await json('audit', 'seal')).answer.sealed) === 3 * EACH, {
      description: 'everything to be sealed',
    });
    const { answer } = await json('audit', 'head', '--tenant', 'acme');
    expect(answer).toEqual([
      {
        tenant: 'acme',
        tenantId: expect.any(Number),
        number: expect.any(Number),
        seal: expect.stringMatching(/^[0-9a-f]{64}$/),
        position: expect.stringMatching(/^1\.\d+\.\d+$/),
        events: EACH,
        sealedOn: expect.stringMatching(/^20.*Z$/),
      },
    ]);
    expect((await json('audit', 'head')).answer).toHaveLength(3);
    const proof = await json('audit', 'verify', '--tenant', 'acme');
    expect(proof).toMatchObject({
      code: 0,
      answer: { intact: true, tenants: [{ sealed: EACH, unsealed: 0 }] },
    });
    expect(await cli('audit', 'verify')).toBe(0);
    expect(out[0]).toMatch(
      /^tenant +blocks +sealed +unsealed +unsealedSince +problem\nacme +\d +101 +0 +- +none\n/,
    );
  });

  it('names the event that was changed, without its content', async () => {
    const heads = join(folder, 'heads.json');
    await cli('audit', 'head', '--json');
    await writeFile(heads, out[0]);
    expect((await json('audit', 'verify', '--heads', heads)).code).toBe(0);

    const [{ event_id, stream_id }] = await sql(
      `update event_store.events set data = jsonb_set(data, '{name}', '"Secret"')
       where type = 'DivisionCreated' and tenant_id = (select id from platform.tenants where alias = 'other')
       returning event_id, stream_id`,
    );
    const { code, answer } = await json('audit', 'verify');
    expect(code).toBe(1);
    expect(err).toEqual([]);
    expect(answer.intact).toBe(false);
    expect(answer.tenants.map(({ problem }: { problem: unknown }) => problem)).toEqual([
      null,
      expect.objectContaining({
        kind: 'changed',
        event: expect.objectContaining({ eventId: event_id, streamId: stream_id, type: 'DivisionCreated' }),
      }),
      null,
    ]);
    expect(JSON.stringify(answer)).not.toMatch(/Secret|Confidential/);
    expect(await cli('audit', 'verify', '--tenant', 'other')).toBe(1);
    expect(out[0]).toContain(
      `Version 1 of stream ${stream_id} (DivisionCreated, id ${event_id}, position 1.`,
    );

    await sql('delete from event_store.seals');
    await sql('delete from event_store.seal_checkpoints');
    await waitFor(
      async () => (await json('audit', 'seal')) && (await json('audit', 'head')).answer.length === 3,
      {
        description: 'the chains to be written anew',
      },
    );
    expect((await json('audit', 'verify')).code).toBe(0);
    const caught = await json('audit', 'verify', '--heads', heads);
    expect(caught.code).toBe(1);
    expect(caught.answer.tenants[1]).toMatchObject({
      tenant: 'other',
      problem: { kind: 'kept_seal_missing' },
    });
  });

  it.each([
    [['verify', '--tenant', 'nobody'], undefined, 'tenant_not_found'],
    [['head', '--tenant', 'nobody'], undefined, 'tenant_not_found'],
    [['verify', '--heads'], 'not JSON', 'heads_invalid'],
    [['verify', '--heads'], '{"tenant": "acme"}', 'heads_invalid'],
    [['verify', '--heads'], '[{"tenant": "acme", "number": 1, "seal": "short"}]', 'heads_invalid'],
    [
      ['verify', '--heads'],
      `[{"tenant": "acme", "tenantId": "1", "number": 1, "seal": "${'0'.repeat(64)}"}]`,
      'heads_invalid',
    ],
    [
      ['verify', '--heads'],
      `[{"tenant": "acme", "number": -5000000000, "seal": "${'0'.repeat(64)}"}]`,
      'heads_invalid',
    ],
    [['verify', '--heads', '/nonexistent/heads.json'], undefined, 'heads_invalid'],
    [['verify', '--nonsense'], undefined, 'usage'],
  ])('refuses %j (content of the file: %j)', async (args, content, code) => {
    const file = join(folder, 'wrong.json');
    if (content !== undefined) await writeFile(file, content);
    expect(await cli('audit', ...args, ...(content === undefined ? [] : [file]), '--json')).toBe(1);
    expect(out).toEqual([]);
    expect(JSON.parse(err[0]).error.code).toBe(code);
  });
});
