import { testConfig } from '../../../test/support/auth-application';
import { createTestDatabase, execute, type TestDatabase } from '../../../test/support/database';
import { run } from '../cli';

describe('cli demo', () => {
  let test: TestDatabase;
  let out: string[];
  let err: string[];

  beforeAll(async () => {
    test = await createTestDatabase();
    await cli('tenants create --alias acme --name Acme');
  });
  afterAll(() => test.drop());

  async function cli(line: string): Promise<number> {
    [out, err] = [[], []];
    return run(line.split(' '), {
      config: () => testConfig(test.url),
      out: (text) => out.push(text),
      err: (text) => err.push(text),
    });
  }
  const refused = async (line: string) => {
    const code = await cli(`demo load ${line} --json`);
    return [code, out.length, JSON.parse(err[0]).error.code];
  };
  const events = () => execute(test.url, 'select count(*)::int from event_store.events');

  it('refuses wrong options and an unknown tenant, and writes nothing', async () => {
    const before = await events();
    expect(await refused('--items 10')).toEqual([1, 0, 'usage']);
    expect(await refused('--years 1')).toEqual([1, 0, 'usage']);
    expect(await refused('--items many --years 1')).toEqual([1, 0, 'usage']);
    expect(await refused('--items 10 --years 99 --tenant acme')).toEqual([1, 0, 'invalid_size']);
    // Without --tenant, the default tenant is meant.
    expect(await refused('--items 10 --years 1')).toEqual([1, 0, 'tenant_not_found']);
    expect(await events()).toEqual(before);
  });

  it('loads a firm, and shows its progress and what it has made', async () => {
    const line = 'demo load --items 600 --years 1 --tenant acme --fee-earners 7 --matters 20 --seed 3';
    expect([await cli(line), out.length]).toEqual([0, 1]);
    expect(out[0]).toMatch(
      /^tenant +acme\nfeeEarners +7\nclients +\d+\nmatters +20\nitems +600\ninvoices +\d+\n/,
    );
    expect(err[0]).toMatch(/^acme: loading, 500 of 600 \(83 %\), \d+\/s, \d+ s left$/);
    const kinds = await execute<{ kind: string; count: number }>(
      test.url,
      `select kind, count(*)::int from event_store.streams where kind in ('matter', 'workitem') group by 1 order by 1`,
    );
    expect(kinds).toEqual([
      { kind: 'matter', count: 20 },
      { kind: 'workitem', count: 600 },
    ]);
    const sources = `select distinct metadata ->> 'source' as source from event_store.events order by 1`;
    expect(await execute(test.url, sources)).toEqual([{ source: 'cli' }, { source: 'demo' }]);
  });

  it('refuses a tenant that has a firm, and says what to do', async () => {
    const before = await events();
    expect(await cli('demo load --items 10 --years 1 --tenant acme')).toBe(1);
    expect(err).toEqual([
      expect.stringMatching(/^The tenant acme has records of its own .*tenants create.*--tenant/),
    ]);
    expect(await events()).toEqual(before);
  });
});
