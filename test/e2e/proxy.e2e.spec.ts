import { request } from 'node:http';
import type { Answer, ApiClient, Credentials } from '../support/client';
import { requestToken, send } from '../support/client';
import type { RunningApp } from '../support/process';
import { describeWithCaddy, type RunningProxy, startProxy } from '../support/proxy';
import { waitFor } from '../support/wait-for';
import { Office } from './office';
import { expectProblem } from './refusals';

type Name = 'command' | 'query';

const entity = (lastName: string) => ({ entityType: 'Individual', firstName: 'Ada', lastName });
const listing = 'query GetRows($criteria: WorkItemCriteriaInput) { work_item_listing(criteria: $criteria) }';

describeWithCaddy('the proxy in front of two command and two query processes', () => {
  let office: Office;
  let proxy: RunningProxy;
  let credentials: Credentials;
  let api: ApiClient;
  const replicas: Record<Name, RunningApp[]> = { command: [], query: [] };

  const startReplica = (name: Name, env = {}) => office.start(name, { TRUSTED_PROXIES: '1', ...env });

  beforeAll(async () => {
    office = await Office.create();
    replicas.command = [await startReplica('command')];
    const others = (['command', 'query', 'query'] as const).map((name) => startReplica(name));
    [replicas.command[1], ...replicas.query] = await Promise.all(others);
    await office.start('projector');
    const [command, query] = [replicas.command, replicas.query].map((apps) => apps.map((app) => app.baseUrl));
    proxy = await startProxy({ command, query });
    await office.cli('tenants', 'create', '--alias', 'acme', '--name', 'Acme');
    credentials = await office.integration('acme');
    api = await office.caller('acme', credentials, { at: { writes: proxy.baseUrl } });
  });
  afterAll(async () => {
    await proxy?.stop();
    await office?.close();
  });

  /** The number of requests that each copy has answered, by its own count. Probes do not count. */
  async function served(name: Name, method: string): Promise<number[]> {
    return Promise.all(
      replicas[name].map(async ({ baseUrl }) => {
        const text = await (await fetch(`${baseUrl}/metrics`)).text();
        const lines = text.split('\n').filter((line) => {
          const counts =
            line.startsWith('http_request_duration_seconds_count{') && !line.includes('/health/');
          return counts && line.includes(`"${method}"`);
        });
        return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
      }),
    );
  }

  it('serves everything at one address', async () => {
    const created = await api.post('entities', entity('Lovelace'));
    expect(created.status).toBe(201);
    const { id } = created.body.data;
    expect((await api.patch(`entities/${id}`, { lastName: 'King' })).status).toBe(200);
    const read = await api.get(`entities/${id}`);
    expect([read.status, read.body.data.lastName]).toEqual([200, 'King']);
    const head = await api.send('HEAD', `entities/${id}`);
    expect([head.status, head.body]).toEqual([200, undefined]);
    expect((await api.delete(`entities/${id}`)).status).toBe(204);
    expect(await api.rows('entities', { ids: id })).toEqual([]);
    expect((await api.graphql(listing, {})).body.data).toEqual({ work_item_listing: [] });
    expect((await api.get('/acme/graphql/schema')).body).toContain('work_item_listing');
    for (const path of ['/.well-known/jwks.json', '/openapi.json', '/docs']) {
      expect((await send('GET', proxy.baseUrl + path)).status).toBe(200);
    }
  });

  it('passes refusals on unchanged', async () => {
    expectProblem(await api.post('entities', { lastName: 1 }), 422, 'validation_failed');
    expectProblem(await api.get('nothing'), 404, 'no_such_address');
    expectProblem(await send('GET', `${proxy.baseUrl}/acme/api/v1/entities`), 401, 'invalid_token');
    expectProblem(await api.post('entities', entity('x'.repeat(1 << 20))), 413, 'body_too_large');
  });

  it.each([
    '/metrics',
    '/METRICS',
    '/%6detrics',
    '//metrics',
    '/metrics/?x="',
    '/health/ready',
    '/health/"/{env.HOME}',
  ])('does not show %s outside', async (path) => {
    const answer = await send('GET', proxy.baseUrl + path);
    expectProblem(answer, 404, 'no_such_address');
    expect(answer.headers.get('x-trace-id')).toBe(answer.body.traceId);
  });

  it('answers for its own health', async () => {
    const { status, body } = await send('GET', `${proxy.baseUrl}/health/live`);
    expect([status, body]).toEqual([200, { status: 'ok' }]);
  });

  it('spreads requests over both copies', async () => {
    const counts = async () => [...(await served('command', 'POST')), ...(await served('query', 'POST'))];
    const before = await counts();
    await waitFor(
      async () => {
        expect((await api.post('entities', entity('Spread'))).status).toBe(201);
        expect((await api.graphql(listing, {})).status).toBe(200);
        return (await counts()).every((now, copy) => now > before[copy]);
      },
      { description: 'every copy to be used' },
    );
  });

  it('tells the service the address of its client, whatever the client says', async () => {
    const stranger = { clientId: 'stranger', clientSecret: 'guessed' };
    const guess = (forwarded: string) =>
      send('POST', `${proxy.baseUrl}/oauth2/token`, {
        headers: { 'X-Forwarded-For': forwarded },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: stranger.clientId,
          client_secret: stranger.clientSecret,
        }),
      });
    const failures = `select count(distinct subject)::int as subjects from platform.token_failures`;
    expect((await guess('192.0.2.1')).status).toBe(401);
    const [one] = await office.sql<{ subjects: number }>(failures);
    expect((await guess('192.0.2.2')).status).toBe(401);
    // The subjects are the client id with its address, and the address. Both are the same as before.
    expect(await office.sql(failures)).toEqual([one]);
    expect(one.subjects).toBe(2);
    // Another address of this machine counts as another client.
    expect(await statusFrom('127.0.0.2', `${proxy.baseUrl}/oauth2/token`, stranger)).toBe(401);
    expect(await office.sql(failures)).toEqual([{ subjects: 4 }]);
  });

  it('continues with one copy when the other is killed', async () => {
    const [killed] = replicas.command;
    await killed.stop('SIGKILL');
    // A request without a body is tried again at once. One with a body is tried again only by Caddy 2.11.2 or later, or
    // when the proxy has noticed the death. The first request may have used an open connection whose end the proxy had
    // not noticed: it is lost, and the answer says so.
    const first = await api.post('clients/client_0/activate');
    if (first.status === 502) expectProblem(first, 502, 'service_lost');
    else expectProblem(first, 404, 'not_found');
    for (let n = 0; n < 4; n++) {
      expectProblem(await api.post('clients/client_0/activate'), 404, 'not_found');
    }
    let inARow = 0; // a single one may have reached the living copy
    await waitFor(
      async () => {
        inARow = (await api.post('entities', entity('Left'))).status === 201 ? inARow + 1 : 0;
        return inARow === 20;
      },
      { description: 'the proxy to notice' },
    );
    replicas.command[0] = await startReplica('command', { PORT: new URL(killed.baseUrl).port });
    const before = await served('command', 'POST');
    await waitFor(
      async () => {
        await api.post('entities', entity('Back'));
        return (await served('command', 'POST'))[0] > before[0];
      },
      { description: 'the copy that is back to be used' },
    );
  });

  it('answers with the problem document of the service when no copy is there', async () => {
    const lonely = await startProxy({ command: ['http://127.0.0.1:1'], query: ['http://127.0.0.1:1'] });
    try {
      const answers = await Promise.all(
        ['GET', 'POST'].map((method) => send(method, `${lonely.baseUrl}/a/b`)),
      );
      for (const answer of answers) {
        const code = answer.status === 502 ? 'service_lost' : 'service_unavailable';
        expectProblem(answer, answer.status === 502 ? 502 : 503, code);
      }
    } finally {
      await lonely.stop();
    }
  });

  it('fails no request while the copies are restarted in turn', async () => {
    let running = true;
    const failed: string[] = [];
    let done = 0;
    const caller = async () => {
      const own = await office.caller('acme', credentials, { at: { writes: proxy.baseUrl } });
      while (running) {
        const made = await own.post('entities', entity('Rolling')).catch((error: Error) => error);
        if ('status' in made && made.status === 201) done++;
        else failed.push(`POST: ${said(made)}`);
        const read = await own.get('entities?pageSize=1').catch((error: Error) => error);
        if ('status' in read && read.status === 200) done++;
        else failed.push(`GET: ${said(read)}`);
      }
    };
    const callers = Promise.all(Array.from({ length: 20 }, caller));
    const restart = async (name: Name, copy: number) => {
      const app = replicas[name][copy];
      expect(await app.stop()).toBe(0);
      replicas[name][copy] = await startReplica(name, { PORT: new URL(app.baseUrl).port });
      // The other copy may stop only once the proxy uses this one: with none left, Caddy before 2.7.5 refuses every
      // method but GET.
      const method = name === 'command' ? 'POST' : 'GET';
      await waitFor(async () => (await served(name, method))[copy] > 0, {
        description: `${name} ${copy} to be used again`,
      });
    };
    for (const copy of [0, 1]) await Promise.all([restart('command', copy), restart('query', copy)]);
    running = false;
    await callers;
    expect(failed).toEqual([]);
    expect(done).toBeGreaterThan(100);
  });

  it('has logged no token and no secret', async () => {
    const { body } = await requestToken(proxy.baseUrl, credentials);
    expect(proxy.output()).toContain('"logger":');
    for (const secret of [api.token, credentials.clientSecret, body.access_token])
      expect(proxy.output()).not.toContain(secret);
  });
});

const said = (answer: Error | Answer) =>
  answer instanceof Error
    ? `${answer.message} ${String(answer.cause)}`
    : `${answer.status} ${JSON.stringify(answer.body?.code)}`;

/** Requests a token from a given address of this machine. @returns the status of the answer */
function statusFrom(
  localAddress: string,
  url: string,
  { clientId, clientSecret }: Credentials,
): Promise<number> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    request(url, { method: 'POST', localAddress, headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on('error', reject)
      .end(form.toString());
  });
}
