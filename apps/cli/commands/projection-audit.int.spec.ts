import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import type { RequestContext } from '#platform/request-context';
import { allProjections, type Firms, openFirms } from '#practice/testing/projected-firms';
import { run } from '../cli';

const TAMPER = 'update read_model.divisions set name = $2, is_default = not is_default where tenant_id = $1';

describe('projections audit and projections export', () => {
  let firms: Firms;
  let one: RequestContext;
  let two: RequestContext;
  let folder: string;
  let out: string;
  let printed: string[];
  let err: string[];

  beforeAll(async () => {
    firms = await openFirms(2);
    [one, two] = firms.contexts;
    folder = await mkdtemp(join(tmpdir(), 'export-'));
  });
  afterAll(async () => {
    await firms.close();
    await rm(folder, { recursive: true });
  });

  /** Runs `cli projections …`. @returns the exit code */
  async function cli(...args: string[]): Promise<number> {
    [out, printed, err] = ['', [], []];
    return run(['projections', ...args], {
      config: () => firms.store.config,
      out: (text) => printed.push(text),
      err: (text) => err.push(text),
      output: new Writable({ write: (chunk, _, done) => done(void (out += chunk)) }),
    });
  }
  const json = async (...args: string[]) => {
    const code = await cli(...args, '--json');
    expect([err, printed.length]).toEqual([[], 1]);
    return { code, answer: JSON.parse(printed[0]) };
  };
  const refused = async (...args: string[]) => {
    expect(await cli(...args, '--json')).toBe(1);
    expect([printed, out, err.length]).toEqual([[], '', 1]);
    const { error } = JSON.parse(err[0]);
    expect(error.message).toMatch(/^[^\n]+$/);
    return error.code;
  };

  it('audits one read model, several and all', async () => {
    const one = {
      name: 'divisions',
      generation: 1,
      events: expect.any(Number),
      rows: expect.any(Number),
      changedSince: 0,
      differing: 0,
      differences: [],
      parked: [],
    };
    expect(await json('audit', 'divisions')).toEqual({ code: 0, answer: one });
    const several = await json('audit', 'divisions', 'matters');
    expect(several).toEqual({ code: 0, answer: [one, { ...one, name: 'matters' }] });
    const { code, answer } = await json('audit', '--all', '--as-of', '2199-01-01T00:00:00Z');
    expect(code).toBe(0);
    expect(answer.map(({ name }: { name: string }) => name)).toEqual(allProjections.map(({ name }) => name));
    expect(await cli('audit', 'divisions')).toBe(0);
    expect(printed.join()).toMatch(
      /^name +rows +differing +changedSince +parked\ndivisions +\d+ +0 +0 +none$/,
    );
  });

  it('exits with 1 and prints the keys of the rows that differ', async () => {
    await firms.tampered('divisions', TAMPER, [one.tenant.id, 'Secret'], async () => {
      const { code, answer } = await json('audit', 'divisions');
      expect(code).toBe(1);
      expect(answer.differences).toHaveLength(answer.differing);
      expect(answer.differences[0]).toEqual({
        tenant: one.tenant.alias,
        table: 'divisions',
        key: expect.stringMatching(/^[0-9a-f-]{36}$/),
        problem: 'differs from the events',
        columns: ['name', 'is_default'],
      });
      expect(await cli('audit', 'divisions', 'matters')).toBe(1);
      expect(printed.join()).toContain('differs from the events  name, is_default');
      expect(printed.join()).not.toContain('Secret');
      expect((await json('audit', 'divisions', '--tenant', two.tenant.alias)).code).toBe(0);
      expect((await json('audit', 'divisions', '--tenant', one.tenant.alias)).code).toBe(1);
    });
    const many = `insert into read_model.divisions
      select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid()))).*
      from read_model.divisions d, generate_series(1, 150)
      where id = (select id from read_model.divisions limit 1)`;
    await firms.tampered('divisions', many, [], async () => {
      expect(await cli('audit', 'divisions')).toBe(1);
      expect(printed.join().split('\n')).toHaveLength(102);
      expect(printed.join()).toMatch(/\n *divisions +50 more/);
    });
  });

  it.each([
    ['usage', ['audit']],
    ['usage', ['audit', 'divisions', '--all']],
    ['unknown_projection', ['audit', 'division']],
    ['tenant_not_found', ['audit', 'divisions', '--tenant', 'nobody']],
    ['unknown_projection', ['export', 'division']],
    ['usage', ['export', 'divisions', '--format', 'xml']],
    ...[
      'yesterday',
      '2026-03-31',
      '2026-03-31T23:59:59',
      '2026-02-30T00:00:00Z',
      '2026-03-31T25:00:00Z',
      '2026-02-20T00:00:00+99:99',
      '2026-02-20T00Z',
    ].flatMap((instant): [string, string[]][] => [
      ['usage', ['audit', 'divisions', '--as-of', instant]],
      ['usage', ['export', 'divisions', '--as-of', instant]],
    ]),
  ])('refuses with %s: %j', async (code, args) => {
    expect(await refused(...args)).toBe(code);
  });

  it('exports to the terminal and to a new file', async () => {
    expect(await cli('export', 'divisions', '--tenant', one.tenant.alias)).toBe(0);
    expect([printed, err]).toEqual([[], []]);
    const rows: Record<string, string>[] = parse(out, { columns: true });
    expect(rows.map(({ tenant }) => tenant)).toEqual(rows.map(() => one.tenant.alias));
    const toTerminal = out;
    expect(await cli('export', 'divisions', '--tenant', one.tenant.alias, '--output', '-')).toBe(0);
    expect([out, printed, err]).toEqual([toTerminal, [], []]);

    const output = join(folder, 'divisions.jsonl');
    const asOf = '2199-01-01T00:00:00+01:00';
    const args = ['export', 'divisions', '--format', 'jsonl', '--as-of', asOf, '--output', output];
    expect(await json(...args)).toEqual({
      code: 0,
      answer: { name: 'divisions', asOf: '2198-12-31T23:00:00.000Z', output, rows: expect.any(Number) },
    });
    const lines = (await readFile(output, 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(JSON.parse(printed[0]).rows);
    expect(lines.length).toBeGreaterThan(rows.length);
    expect(await refused(...args)).toBe('output_exists');
    expect(await readdir(folder)).toEqual(['divisions.jsonl']);
    expect((await readFile(output, 'utf8')).trimEnd().split('\n')).toEqual(lines);
    expect(await refused('export', 'divisions', '--output', join(folder, 'no', 'where'))).toBe('file');
  });

  it('leaves no file when the export fails', async () => {
    const output = join(folder, 'unwritten.csv');
    await writeFile(join(folder, 'other'), '');
    expect(await refused('export', 'divisions', '--tenant', 'nobody', '--output', output)).toBe(
      'tenant_not_found',
    );
    expect(await readdir(folder)).not.toContainEqual(expect.stringMatching(/unwritten/));
  });
});
