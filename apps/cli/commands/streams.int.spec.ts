import { testConfig } from '../../../test/support/auth-application';
import { createTestDatabase, execute, type TestDatabase } from '../../../test/support/database';
import { run } from '../cli';

describe('the command line on the event store', () => {
  let test: TestDatabase;
  let out: string[];

  beforeEach(async () => {
    test = await createTestDatabase();
    expect((await cli('tenants create --alias acme --name Acme')).code).toBe(0);
    expect((await cli('tenants create --alias other --name Other')).code).toBe(0);
  });
  afterEach(() => test.drop());

  async function cli(line: string) {
    out = [];
    const err: string[] = [];
    const code = await run(line.split(' '), {
      config: () => testConfig(test.url),
      out: (text) => out.push(text),
      err: (text) => err.push(text),
    });
    expect(out.length + err.length).toBe(1);
    return { code, text: [...out, ...err][0] };
  }

  it('verifies the streams, shows what differs, and mends it', async () => {
    const clean = { streams: 202, outdated: 0, differences: 0, findings: [] };
    const { code, text } = await cli('streams verify --json');
    expect([code, JSON.parse(text)]).toEqual([0, clean]);
    expect(await cli('streams verify')).toEqual({
      code: 0,
      text: 'streams      202\noutdated     0\ndifferences  0',
    });

    const [{ id, alias }] = await execute<{ id: string; alias: string }>(
      test.url,
      `update event_store.streams s set version = 7 from platform.tenants t
       where s.kind = 'division' and t.id = s.tenant_id and t.alias = 'acme'
       returning 'division_' || replace(s.stream_id::text, '-', '') as id, t.alias`,
    );
    const what = 'it is kept at version 7, its events end at 1';
    const found = await cli('streams verify --json');
    expect([found.code, JSON.parse(found.text)]).toEqual([
      1,
      { ...clean, differences: 1, findings: [{ tenant: alias, stream: id, what }] },
    ]);
    expect(await cli('streams verify')).toEqual({
      code: 1,
      text: `streams      202\noutdated     0\ndifferences  1\nfindings     \n${alias}  ${id}  ${what}`,
    });
    expect((await cli('streams verify --tenant acme')).code).toBe(1);
    expect((await cli('streams verify --tenant other')).code).toBe(0);

    const rebuilt = await cli('streams rebuild --json');
    expect([rebuilt.code, JSON.parse(rebuilt.text)]).toEqual([
      0,
      { streams: 202, written: 1, removed: 0, differences: 0, findings: [] },
    ]);
    expect((await cli('streams verify')).code).toBe(0);
  });

  it('exits with 1 and shows what it cannot mend', async () => {
    await execute(test.url, `update event_store.events set type = 'Odd' where type = 'DivisionCreated'`);
    const { code, text } = await cli('streams rebuild --tenant acme');
    expect(code).toBe(1);
    expect(text).toMatch(
      /acme {2}division_[0-9a-f]{32} {2}event 1 \(Odd\) cannot be read: its type is unknown$/,
    );
  });

  it('refuses an unknown tenant', async () => {
    for (const verb of ['verify', 'rebuild']) {
      const { code, text } = await cli(`streams ${verb} --tenant nobody --json`);
      expect([code, JSON.parse(text).error.code]).toEqual([1, 'tenant_not_found']);
    }
  });

  it('opens the next epoch, whether the store needs it or not', async () => {
    expect(await cli('store new-epoch')).toEqual({
      code: 0,
      text: 'epoch  2\nnote   The store did not need it; it does no harm.',
    });
    await execute(
      test.url,
      `update event_store.events set epoch = 2, transaction_id = '4000000000000000000'`,
    );
    expect(await cli('store new-epoch')).toEqual({ code: 0, text: 'epoch  3\nnote   The store needed it.' });
    expect(JSON.parse((await cli('store new-epoch --json')).text)).toEqual({ epoch: 4, needed: false });
  });

  it('says in its help what a rebuild leaves', async () => {
    expect((await cli('streams rebuild --help')).text).toMatch(/Counters and idempotency keys/);
  });
});
