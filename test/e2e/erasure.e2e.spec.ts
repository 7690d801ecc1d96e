import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toUuid } from '#kernel/ids';
import type { ApiClient, Credentials, Json } from '../support/client';
import { execute } from '../support/database';
import { OtlpReceiver } from '../support/otlp-receiver';
import type { RunningApp } from '../support/process';
import { describeWithCaddy, startProxy } from '../support/proxy';
import { waitFor } from '../support/wait-for';
import { earlierName, type Life, life, person, sums, words } from './erasure-life';
import type { Office } from './office';
import { expectProblem } from './refusals';
import { remainsIn } from './remains';
import { TwoDatabases } from './two-databases';

describe('a person whose data is erased', () => {
  let databases: TwoDatabases;
  let office: Office;
  let spans: OtlpReceiver;
  let folder: string;
  let command: RunningApp;
  let query: RunningApp;
  let credentials: Credentials;
  let api: ApiClient;
  let lived: Life;
  /** Where the person's data was unencrypted before the erasure. */
  let clear: string[];
  let figures: Json;
  let backup: Awaited<ReturnType<TwoDatabases['dump']>>;
  const heads = () => join(folder, 'heads.json');

  beforeAll(async () => {
    [databases, spans, folder] = await Promise.all([
      TwoDatabases.create(),
      OtlpReceiver.start(),
      mkdtemp(join(tmpdir(), 'practice-erasure-')),
    ]);
    office = await databases.office({ LOG_LEVEL: 'trace', OTEL_EXPORTER_OTLP_ENDPOINT: spans.url });
    command = await office.start('command');
    [query] = await Promise.all([office.start('query'), office.start('projector')]);
    await office.cli('tenants', 'create', '--alias', 'acme', '--name', 'Acme');
    credentials = await office.integration('acme');
    api = await office.caller('acme', credentials, { at: { writes: command.baseUrl, reads: query.baseUrl } });
    lived = await life(api);
    clear = await databases.remains(words);
    figures = await sums(api);
    backup = await databases.dump();
    await office.cli('audit', 'seal');
    await writeFile(heads(), JSON.stringify(await office.cli('audit', 'head')));
  });
  afterAll(async () => {
    await office?.close();
    await spans?.stop();
    await databases?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('was unencrypted in one table only, apart from its reserved external reference', () => {
    expect([...new Set(clear.map((line) => line.split(':')[0]))]).toEqual([
      'event_store.reservations',
      'read_model.people_g1',
    ]);
    // The search finds no earlier name, although the store has one, because it is encrypted.
    expect(words.filter((word) => !clear.join('\n').includes(`: ${word} in`))).toEqual([earlierName]);
  });

  it('is found in any encoding', () => {
    for (const padding of ['', 'a', 'ab']) {
      const text = `${padding}${words[0]}`;
      for (const encoded of [Buffer.from(text), Buffer.from(text, 'utf16le')]) {
        expect(remainsIn('base64', encoded.toString('base64'), words)).not.toEqual([]);
        expect(remainsIn('hex', encoded.toString('hex'), words)).not.toEqual([]);
      }
    }
  });

  describe('can get all data about it before the erasure', () => {
    const atCommand = (scope?: string) =>
      office.caller('acme', credentials, { scope, at: { writes: command.baseUrl } });

    it('as an event', async () => {
      const caller = await atCommand();
      const { status, body, headers } = await caller.get(`entities/${lived.entityId}/export`);
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
      const { data } = body;
      expect(data.entity).toMatchObject(person);
      const held = (name: string) => data[name].map(({ id }: Json) => id);
      expect(Object.fromEntries(Object.keys(lived.held).map((name) => [name, held(name)]))).toEqual(
        lived.held,
      );
      const { rows } = await api.data('GET', `entities/${lived.entityId}/history`);
      expect(rows.at(-1)).toMatchObject({
        type: 'EntityExported',
        by: `integration:${credentials.clientId}`,
      });
      expect(data.history.at(-1)).toMatchObject({ type: 'EntityExported', on: data.exportedOn });
    });

    it('only with its own permission', async () => {
      const path = `entities/${lived.entityId}/export`;
      const reader = await atCommand('entities:read entities:write');
      expectProblem(await reader.get(path), 403, 'permission_denied');
      const few = await office.integration('acme', ['--permissions', 'entities:read,entities:write']);
      const all = await office.caller('acme', few, { at: { writes: command.baseUrl } });
      expectProblem(await all.get(path), 403, 'permission_denied');
      const exporter = await atCommand('entities:export');
      expect((await exporter.get(path)).status).toBe(200);
      expectProblem(
        await exporter.get(`entities/${lived.entityId.slice(0, -4)}0000/export`),
        404,
        'not_found',
      );
    });
  });

  describeWithCaddy('behind the proxy', () => {
    it('is exported at the one address of the service', async () => {
      const proxy = await startProxy({ command: [command.baseUrl], query: [query.baseUrl] });
      try {
        const caller = await office.caller('acme', credentials, { at: { writes: proxy.baseUrl } });
        const { status, body } = await caller.get(`entities/${lived.entityId}/export`);
        expect([status, body.data.entity.lastName]).toEqual([200, person.lastName]);
        expect((await caller.get(`entities/${lived.entityId}`)).status).toBe(200);
      } finally {
        await proxy.stop();
      }
    });
  });

  it('is not erased while it has an open matter', async () => {
    expectProblem(await api.post(`entities/${lived.entityId}/anonymise`), 409, 'open_matters');
    expect((await api.data('GET', `entities/${lived.entityId}`)).lastName).toBe(person.lastName);
    await api.data('POST', `matters/${lived.matterId}/close`);
  });

  it('is shown as erased wherever it was named, with only one event', async () => {
    const name = `Erased ${lived.entityId.slice(-4)}`;
    const first = await api.post(`entities/${lived.entityId}/anonymise`);
    expect([first.status, first.body.data.sortName]).toEqual([200, name]);
    const again = await api.post(`entities/${lived.entityId}/anonymise`);
    expect([again.status, again.headers.get('etag')]).toEqual([200, first.headers.get('etag')]);
    const erased = await api.data('GET', `entities/${lived.entityId}`);
    expect(erased).toMatchObject({
      sortName: name,
      fullName: name,
      lastName: name,
      firstName: null,
      title: null,
      email: null,
      phones: [],
      addresses: [],
      registrationNumber: null,
      taxNumber: null,
      externalReference: null,
      anonymisedOn: expect.stringMatching(/^\d{4}-/),
    });
    const { rows } = await api.data('GET', `entities/${lived.entityId}/history?pageSize=200`);
    expect(rows.filter(({ type }: Json) => type === 'EntityAnonymised')).toHaveLength(1);
    expect(await api.data('GET', `clients/${lived.held.clients[0]}`)).toMatchObject({
      sortName: name,
      streetAddress: null,
    });
    const matter = await api.data('GET', `matters/${lived.matterId}`);
    expect(matter).toMatchObject({ clientSortName: name, responsiblePerson: { sortName: name } });
    for (const area of ['entities', 'clients', 'matters', 'employees', 'suppliers'])
      expect(await api.rows(area, { keywords: person.lastName })).toEqual([]);
    const { body } = await (
      await office.caller('acme', credentials, { at: { writes: command.baseUrl } })
    ).get(`entities/${lived.entityId}/export`);
    expect(remainsIn('export', JSON.stringify(body), words)).toEqual([]);
    expect(body.data.workItems).toHaveLength(lived.held.workItems.length);
  });

  it('takes no personal data any more, and a repeat of its first request shows none', async () => {
    const path = `entities/${lived.entityId}`;
    expectProblem(await api.patch(path, { email: 'again@example.com' }), 409, 'anonymised');
    expectProblem(
      await api.post('clients', { entityId: lived.entityId }),
      422,
      'entity_anonymised',
      '/entityId',
    );
    const repeat = await api.post('entities', person, { 'Idempotency-Key': lived.idempotencyKey });
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(repeat.body.data).toMatchObject({ id: lived.entityId, firstName: null });
    expect(remainsIn('repeat', JSON.stringify(repeat.body), words)).toEqual([]);
  });

  it('is in no table, no dump, no log line and no span', async () => {
    expect(await databases.remains(words)).toEqual([]);
    expect(remainsIn('dump', (await databases.dump()).join('\n'), words)).toEqual([]);
    expect(office.output()).toContain('GET /:tenant/api/v1/entities 200');
    expect(remainsIn('log', office.output(), words)).toEqual([]);
    await waitFor(() => spans.spans.some(({ name }) => name.startsWith('project people')), {
      description: 'spans',
    });
    expect(remainsIn('spans', spans.text, words)).toEqual([]);
  });

  it('leaves figures and proofs unchanged', async () => {
    const name = `Erased ${lived.entityId.slice(-4)}`;
    const before = JSON.stringify(figures).replaceAll(`${person.lastName}, ${person.firstName}`, name);
    expect(await sums(api)).toEqual({
      work: expect.arrayContaining(JSON.parse(before).work),
      fees: expect.arrayContaining(JSON.parse(before).fees),
    });
    expect(before).toContain(name);
    expect(await office.cli('audit', 'verify', '--heads', heads())).toMatchObject({ intact: true });
    expect(await office.cli('streams', 'verify')).toMatchObject({ differences: 0, outdated: 0 });
    // The live rows equal rows that are built anew from the events.
    await office.cli('projections', 'audit', '--all');
    await office.cli('projections', 'rebuild', 'people');
    await office.cli('projections', 'audit', 'people');
    expect((await api.data('GET', `entities/${lived.entityId}`)).sortName).toBe(name);
  });

  it('is erased again in a backup from before the erasure', async () => {
    const list = join(folder, 'erasures.json');
    const erasures = await office.cli('subjects', 'erasures');
    expect(erasures).toEqual([
      { tenant: 'acme', subject: lived.deletedId, on: expect.any(String) },
      { tenant: 'acme', subject: lived.entityId, on: expect.any(String) },
    ]);
    await writeFile(list, JSON.stringify([...erasures, { ...erasures[0], tenant: 'gone' }]));
    const uuid = toUuid(lived.entityId);
    const restored = await TwoDatabases.create();
    const again = await restored.office();
    try {
      await restored.restore(backup);
      expect(await restored.remains(words)).toEqual(clear);
      const [{ wrapped }] = await execute<{ wrapped: Buffer }>(
        restored.write.url,
        'select wrapped from event_store.subject_keys where subject = $1',
        [uuid],
      );
      const replay = () => again.cli('subjects', 'replay-erasures', '--from', list);
      expect(await replay()).toEqual({ erased: 1, already: 1, absent: 1, waiting: 0, keys: 0 });
      await again.start('projector');
      const shown = `select sort_name as name from read_model.people where id = '${uuid}'`;
      await waitFor(
        async () => (await execute<{ name: string }>(restored.read.url, shown))[0].name.startsWith('Erased'),
        { description: 'the read models' },
      );
      expect(await restored.remains(words)).toEqual([]);
      expect(await replay()).toEqual({ erased: 0, already: 2, absent: 1, waiting: 0, keys: 0 });
      expect(await again.cli('subjects', 'erasures')).toEqual(erasures);
      // As if only the table of keys had been restored from the backup.
      const keyAgain = 'update event_store.subject_keys set wrapped = $2 where subject = $1';
      await execute(restored.write.url, keyAgain, [uuid, wrapped]);
      const keys = { erased: 0, already: 0, absent: 0, waiting: 0, keys: 1 };
      expect(await again.cli('subjects', 'replay-erasures')).toEqual(keys);
      expect(await again.cli('streams', 'verify')).toMatchObject({ differences: 0, outdated: 0 });
      await again.cli('projections', 'audit', '--all');
      expect(await again.cli('audit', 'verify')).toMatchObject({ intact: true });
    } finally {
      await again.close();
      await restored.drop();
    }
  });
});
