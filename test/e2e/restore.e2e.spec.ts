import { randomBytes } from 'node:crypto';
import { comparePositions, fromToken } from '#event-store/position';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform/database/embedded-postgres';
import { ApiClient, type Credentials, type Json, requestToken } from '../support/client';
import { createDataDir } from '../support/data-dir';
import { createTestDatabase, execute, type TestDatabase } from '../support/database';
import { dumpDatabase, restoreDatabase } from '../support/dump';
import { type RunningApp, startApp } from '../support/process';
import { Operator } from './operator';
import { activeClient, employee, generalDivision, hour, matter } from './records';
import { columns, listingVariables, workItemListing } from './specification-walk';

const SECRETS_KEY = randomBytes(32).toString('base64');
const everyProcess = ['command', 'query', 'projector', 'worker'] as const;

/** The processes and the command line on one database. */
class Deployment {
  private apps: RunningApp[] = [];
  private readonly env: Record<string, string>;

  constructor(
    readonly url: string,
    readUrl = url,
  ) {
    this.env = { DATABASE_URL: url, READ_DATABASE_URL: readUrl, SECRETS_KEY };
  }

  async start(): Promise<void> {
    this.apps = await Promise.all(everyProcess.map((name) => startApp(name, this.env)));
  }

  async stop(): Promise<void> {
    const codes = await Promise.all(this.apps.splice(0).map((app) => app.stop()));
    expect(codes.filter((code) => code !== 0)).toEqual([]);
  }

  refuse(name: (typeof everyProcess)[number]): Promise<RunningApp> {
    return startApp(name, this.env);
  }

  async caller(credentials: Credentials): Promise<ApiClient> {
    const [writes, reads] = this.apps.map(({ baseUrl }) => baseUrl);
    const { body } = await requestToken(writes, credentials);
    return new ApiClient('acme', body.access_token, { writes, reads });
  }

  async cli(...args: string[]): Promise<{ code: number; answer: Json; error: string }> {
    const { code, stdout, stderr } = await new Operator(this.env).ask(args);
    return { code, answer: stdout === '' ? undefined : JSON.parse(stdout), error: stderr };
  }

  /** Everything that is derived from the events agrees with them. */
  async expectSound(): Promise<void> {
    const streams = await this.cli('streams', 'verify');
    expect(streams).toMatchObject({ code: 0, answer: { differences: 0, outdated: 0 } });
    expect(await this.cli('projections', 'audit', '--all')).toMatchObject({ code: 0, error: '' });
    expect(await this.cli('audit', 'verify')).toMatchObject({ code: 0, error: '' });
  }
}

/** Every list and report of a tenant. */
async function seen(api: ApiClient): Promise<Json> {
  const lists: Json = {};
  for (const area of ['entities', 'clients', 'employees', 'divisions', 'matters', 'workitems']) {
    lists[area] = await api.rows(area, { pageSize: 200 });
  }
  const report = await api.graphql(workItemListing, listingVariables());
  const { criteria, slice } = listingVariables();
  const totals = { ...slice, cols: columns(['units:sum', 'totalBase:sum']), sortBy: [], totalsOnly: true };
  const sums = await api.graphql(workItemListing, { criteria, slice: totals });
  return { lists, report: report.body, sums: sums.body };
}

describe('a store restored from a dump', () => {
  const folder = createDataDir();
  let database: TestDatabase;
  let server: EmbeddedPostgres;
  let source: Deployment;
  let restored: Deployment;
  let credentials: Credentials;
  let dump: string;
  let before: Json;
  let lastPosition: string;
  let work: { matterId: string; employeeId: string };

  beforeAll(async () => {
    database = await createTestDatabase();
    source = new Deployment(database.url);
    // Takes many transaction ids, so that those of a new server are certainly lower.
    await execute(
      database.url,
      'do $$ begin for n in 1..20000 loop perform pg_current_xact_id(); commit; end loop; end $$',
    );
    await source.start();
    await source.cli('tenants', 'create', '--alias', 'acme', '--name', 'Acme');
    const made = ['integrations', 'create', '--name', 'Test', '--tenant', 'acme', '--limit', '100000'];
    credentials = (await source.cli(...made)).answer;
    const api = await source.caller(credentials);
    work = await writeFirm(api);
    before = await seen(api);
    await source.expectSound();
    await source.stop();
    dump = await dumpDatabase(database.url);

    server = await startEmbeddedPostgres({
      dataDir: folder.path,
      log: (line) => process.stderr.write(`${line}\n`),
      settings: { fsync: 'off' },
    });
    await restoreDatabase(server.url, dump);
    restored = new Deployment(server.url);
  });

  afterAll(async () => {
    await restored?.stop();
    await source?.stop();
    await server?.stop();
    folder.remove();
    await database?.drop();
  });

  /** Creates a firm with 4 matters and 60 work items, some of them changed. @returns the records for further work */
  async function writeFirm(api: ApiClient): Promise<typeof work> {
    const clientId = await activeClient(api);
    const divisionId = await generalDivision(api);
    const employeeId = await employee(api);
    const matters = await Promise.all(Array.from({ length: 4 }, () => matter(api, { clientId, divisionId })));
    const items = await Promise.all(
      Array.from({ length: 60 }, (_, n) => api.create('workitems', hour(matters[n % 4], employeeId))),
    );
    for (const id of items.slice(0, 10)) await api.data('POST', `workitems/${id}/unfinalise`);
    for (const id of items.slice(0, 5)) await api.data('DELETE', `workitems/${id}`);
    const last = await api.patch(`matters/${matters[0]}`, { title: 'Last' });
    lastPosition = last.headers.get('x-event-position')!;
    return { matterId: matters[0], employeeId };
  }

  /** Records one more hour. Everything else must be unchanged. */
  async function goOn(api: ApiClient): Promise<string> {
    expect(await seen(api)).toEqual(before);
    const answer = await api.post('workitems', hour(work.matterId, work.employeeId, { title: 'After' }));
    expect(answer.status).toBe(201);
    const after = await seen(api);
    const [added, ...others] = after.lists.workitems.filter(
      ({ id }: Json) => !before.lists.workitems.some((old: Json) => old.id === id),
    );
    expect([added.title, others]).toEqual(['After', []]);
    expect(after.lists.workitems).toHaveLength(before.lists.workitems.length + 1);
    const totals = ({ sums }: Json) => sums.data.work_item_listing[0];
    expect(totals(after).totalBase).toBe(totals(before).totalBase + 250);
    return answer.headers.get('x-event-position')!;
  }

  describe('on another server with lower transaction ids', () => {
    const refusal = /next transaction id is \d+, .*restored from another server.*cli store new-epoch/;

    it.each(everyProcess)('%s refuses to start, in one line', async (name) => {
      const line = new RegExp(`ended with code 1; its output:\\n[^\\n]*${refusal.source}\\n$`);
      await expect(restored.refuse(name)).rejects.toThrow(line);
    });

    it.each(['tenants list', 'streams verify', 'keys rotate'])('cli %s is refused', async (line) => {
      const { code, answer, error } = await restored.cli(...line.split(' '));
      expect({ code, answer }).toEqual({ code: 1, answer: undefined });
      expect(JSON.parse(error).error).toEqual({
        code: 'new_epoch_needed',
        message: expect.stringMatching(refusal),
      });
    });

    it('everything continues in a new epoch', async () => {
      const opened = await restored.cli('store', 'new-epoch');
      expect(opened).toEqual({ code: 0, answer: { epoch: 2, needed: true }, error: '' });
      await restored.start();
      const api = await restored.caller(credentials);
      const position = fromToken(await goOn(api));
      expect(position.epoch).toBe(2);
      expect(comparePositions(position, fromToken(lastPosition))).toBeGreaterThan(0);
      const feed = await execute<{ epoch: number }>(
        server.url,
        'select epoch from event_store.events order by partition, epoch, transaction_id, position',
      );
      expect(feed.map(({ epoch }) => epoch)).toEqual([...Array(feed.length - 2).fill(1), 2, 2]);
      await restored.expectSound();
    });

    it('another new epoch is unnecessary, and does no harm', async () => {
      const api = await restored.caller(credentials);
      expect(await restored.cli('store', 'new-epoch')).toMatchObject({ answer: { epoch: 3, needed: false } });
      const id = await api.create('workitems', hour(work.matterId, work.employeeId, { title: 'Third' }));
      expect(await api.rows('workitems', { keywords: 'Third' })).toMatchObject([{ id }]);
      expect(await api.rows('workitems', { keywords: 'After' })).toHaveLength(1);
      await restored.expectSound();
    });
  });

  it.each([
    ['whole', []],
    ['without the read models', ['--exclude-schema=read_model']],
  ])('needs nothing on its own server, %s', async (_, options) => {
    const other = await createTestDatabase();
    const again = new Deployment(other.url);
    try {
      await restoreDatabase(other.url, await dumpDatabase(database.url, ...options));
      await again.start();
      expect(fromToken(await goOn(await again.caller(credentials))).epoch).toBe(1);
      await again.expectSound();
    } finally {
      await again.stop();
      await other.drop();
    }
  });

  it('refuses read models that are newer than the store until they are rebuilt', async () => {
    await source.start();
    const later = await source.caller(credentials);
    await later.create('workitems', hour(work.matterId, work.employeeId, { title: 'Later' }));
    expect(await seen(later)).not.toEqual(before);
    await source.stop();
    const other = await createTestDatabase();
    const again = new Deployment(other.url, database.url);
    try {
      await restoreDatabase(other.url, dump);
      const refusal = /where the store has no event: .* cli projections rebuild --all/;
      for (const name of ['projector', 'query'] as const)
        await expect(again.refuse(name)).rejects.toThrow(refusal);
      expect(await again.cli('projections', 'rebuild', '--all')).toMatchObject({ code: 0 });
      await again.start();
      await goOn(await again.caller(credentials));
      await again.expectSound();
    } finally {
      await again.stop();
      await other.drop();
    }
  });
});
