import type { ApiClient } from '../support/client';
import { Office } from './office';
import { expectProblem } from './refusals';

const path = 'integrations/tenantSettings';
let office: Office;
let api: ApiClient;
let ours: string;
let theirs: string;

/** A new integration without settings. */
const newcomer = async (terms: string[] = []) => office.caller(ours, await office.integration(ours, terms));

beforeAll(async () => {
  office = await Office.join();
  [ours, theirs] = [(await office.tenant()).tenant, (await office.tenant()).tenant];
  api = await newcomer();
});
afterAll(() => office.close());

const put = (body: unknown, headers?: Record<string, string>) => api.send('PUT', path, body, headers);

describe('the settings that an integration stores with a tenant', () => {
  it('are an empty object at first, then what was put, as a whole', async () => {
    const first = await api.get(path);
    expect([first.status, first.headers.get('etag')]).toEqual([200, '"0"']);
    expect(first.body).toEqual({ success: true, data: {} });
    const settings = {
      z: 1,
      a: { b: [1, 2.5, null, true, { é: '漢 😀' }] },
      mapping: { division_1: 'Family' },
      '': 'no name',
      constructor: { prototype: { toString: 1 } },
    };
    const answer = await put(settings);
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, '"1"']);
    expect(answer.body).toEqual({ success: true, data: settings });
    const read = await api.get(path);
    expect(JSON.stringify(read.body.data)).toBe(JSON.stringify(settings));
    await put({ only: 'this' });
    expect((await api.get(path)).body.data).toEqual({ only: 'this' });
    await put({});
    expect((await api.get(path)).body.data).toEqual({});
  });

  it('keep every digit', async () => {
    api = await newcomer();
    const json =
      '{"ticks":638847194467412345,"id":[12345678901234567890],"part":0.1234567890123456789012,"z":-1.50e+3}';
    const spread = ` ${json.replaceAll(':', `:${' '.repeat(20_000)}`)}\n`;
    const type = { 'Content-Type': 'application/json' };
    for (const body of [json, spread]) expect((await put(body, type)).headers.get('etag')).toBe('"1"');
    const answer = await fetch(`${office.app.baseUrl}/${ours}/api/v1/${path}`, {
      headers: { Authorization: `Bearer ${api.token}` },
    });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.text()).toBe(`{"success":true,"data":${json}}`);
  });

  it('keep the last value of a repeated name, whatever the earlier ones were', async () => {
    for (const hidden of [`${'['.repeat(32_000)}${']'.repeat(32_000)}`, '"\\u0000"', '{"__proto__":1}']) {
      const answer = await put(`{"a":${hidden},"a":1}`, { 'Content-Type': 'application/json' });
      expect([answer.status, answer.body]).toEqual([200, { success: true, data: { a: 1 } }]);
    }
    expect((await api.get(path)).body.data).toEqual({ a: 1 });
  });

  it('have a version, which counts changes only', async () => {
    api = await newcomer();
    expect((await put({ a: 1 }, { 'If-Match': '"0"' })).headers.get('etag')).toBe('"1"');
    expect((await put({ a: 1 })).headers.get('etag')).toBe('"1"');
    expect((await put({ a: 2 }, { 'If-Match': '"1"' })).headers.get('etag')).toBe('"2"');
    for (const version of ['"0"', '"1"', '"3", "4"', '"9999999999"', '"x"']) {
      const refused = await put({ a: 3 }, { 'If-Match': version });
      expectProblem(refused, 412, 'version_mismatch');
      expect(refused.headers.get('etag')).toBe('"2"');
    }
    expect((await put({ a: 3 }, { 'If-Match': '*' })).headers.get('etag')).toBe('"3"');
    expect((await api.get(path)).body.data).toEqual({ a: 3 });
  });

  it('are not overwritten with a wrong version, nor by both of two at once', async () => {
    api = await newcomer();
    for (const version of ['"4"', '*']) {
      const unseen = await put({ a: 1 }, { 'If-Match': version });
      expectProblem(unseen, 412, 'version_mismatch');
      expect(unseen.headers.get('etag')).toBe('"0"');
    }
    const both = await Promise.all([1, 2].map((a) => put({ a }, { 'If-Match': '"0"' })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('are separate for each tenant and each integration', async () => {
    const credentials = await office.integration(ours);
    await office.cli('integrations', 'grant', '--client-id', credentials.clientId, '--tenant', theirs);
    const [leeds, york] = [await office.caller(ours, credentials), await office.caller(theirs, credentials)];
    await leeds.send('PUT', path, { at: 'leeds' });
    expect(await york.data('GET', path)).toEqual({});
    await york.send('PUT', path, { at: 'york' });
    expect(await leeds.data('GET', path)).toEqual({ at: 'leeds' });
    expect(await (await newcomer()).data('GET', path)).toEqual({});
  });

  it.each([
    ['a list', '[]', 422, 'not_an_object'],
    ['a number too large for JavaScript', '{"a":1e400}', 422, 'number_too_large'],
    ['a text', '"text"', 422, 'not_an_object'],
    ['null', 'null', 422, 'not_an_object'],
    ['nothing', '', 422, 'not_an_object'],
    ['half an object', '{"a":', 400, 'malformed_json'],
    ['a prototype', '{"__proto__":{"admin":true}}', 400, 'malformed_json'],
    ['a NUL', '{"a":"\\u0000"}', 422, 'invalid_text'],
    ['21 levels', `${'{"a":'.repeat(21)}1${'}'.repeat(21)}`, 400, 'too_deep'],
    ['more than 64 KiB', `{"a":"${'x'.repeat(64 * 1024)}"}`, 413, 'settings_too_large'],
  ])('are refused when given %s', async (_, body, status, code) => {
    const before = (await api.get(path)).headers.get('etag');
    expectProblem(await put(body, { 'Content-Type': 'application/json' }), status, code);
    expect((await api.get(path)).headers.get('etag')).toBe(before);
  });

  it('may be as large and as deep as documented', async () => {
    const large = { a: 'x'.repeat(64 * 1024 - 8) };
    expect((await put(large)).status).toBe(200);
    expect(await api.data('GET', path)).toEqual(large);
    const deep = JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`);
    expect((await put(deep)).status).toBe(200);
    expect(await api.data('GET', path)).toEqual(deep);
  });

  it('need their permissions, and a token', async () => {
    const reader = await newcomer(['--permissions', 'integrations:read']);
    expect((await reader.get(path)).status).toBe(200);
    const refused = await reader.send('PUT', path, {});
    expectProblem(refused, 403, 'permission_denied');
    expect(refused.body.detail).toContain('integrations:write');
    const writer = await newcomer(['--permissions', 'integrations:write']);
    expectProblem(await writer.get(path), 403, 'permission_denied');
    expectProblem(await api.send('PUT', path, {}, { Authorization: 'Bearer x' }), 401, 'invalid_token');
  });

  it('are not written once the rate limit is used up', async () => {
    const limited = await newcomer(['--limit', '2', '--period', '86400']);
    await limited.send('PUT', path, { count: 1 });
    await limited.send('PUT', path, { count: 2 });
    expectProblem(await limited.send('PUT', path, { count: 3 }), 429, 'rate_limited');
    const rows = await office.sql<{ settings: object }>(
      `select s.settings from platform.integration_settings s join platform.tenants t on t.id = s.tenant_id
       where t.alias = '${ours}' and s.settings ->> 'count' is not null`,
    );
    expect(rows).toEqual([{ settings: { count: 2 } }]);
  });

  it('are written by one process and read by another at once', async () => {
    const [command, query] = [await office.start('command'), await office.start('query')];
    const apart = await office.caller(ours, await office.integration(ours), {
      at: { writes: command.baseUrl, reads: query.baseUrl },
    });
    await apart.send('PUT', path, { a: 1 });
    expect(await apart.data('GET', path)).toEqual({ a: 1 });
  });
});
