import type { Answer, ApiClient, Credentials } from '../support/client';
import { Office } from './office';
import { expectProblem } from './refusals';
import { listingVariables, workItemListing } from './specification-walk';

const DAY = 86_400;
/** In seconds: a window so long that no test reaches its end. A window of a day ends at midnight. */
const PERIOD = DAY - ((Date.now() / 1000) % DAY) > 600 ? DAY : 50_000;
let office: Office;
let credentials: Credentials;
let leeds: ApiClient;
/** The same integration with reads that wait for nothing, because repeated requests would count. */
let reader: ApiClient;
let york: ApiClient;

beforeAll(async () => {
  office = await Office.create();
  await office.start('command');
  const [query] = await Promise.all([office.start('query'), office.start('projector')]);
  for (const alias of ['leeds', 'york'])
    await office.cli('tenants', 'create', '--alias', alias, '--name', alias);
  // The limit is the platform's default.
  credentials = await office.integration('leeds', ['--limit', '100', '--period', `${PERIOD}`]);
  const grant = ['integrations', 'grant', '--client-id', credentials.clientId, '--tenant', 'york'];
  await office.cli(...grant, '--limit', '3', '--period', `${PERIOD}`);
  const at = { reads: query.baseUrl };
  [leeds, reader, york] = [
    await office.caller('leeds', credentials, { at }),
    await office.caller('leeds', credentials, { at }),
    await office.caller('york', credentials, { at }),
  ];
});
afterAll(() => office.close());

const entity = { entityType: 'Individual', lastName: 'X' };

describe('the rate limit', () => {
  let written: number;

  it('counts writes, reads and reports of all processes together, and never admits more', async () => {
    const one = await reader.get('matters');
    expect(one.headers.get('ratelimit-policy')).toBe(`"default";q=100;w=${PERIOD}`);
    expect(one.headers.get('ratelimit')).toMatch(/^"default";r=99;t=\d+$/);
    const requests: Promise<Answer>[] = [];
    for (let count = 0; count < 44; count++) {
      requests.push(leeds.post('entities', entity), reader.get('entities'));
      requests.push(reader.graphql(workItemListing, listingVariables()));
    }
    const answers = await Promise.all(requests);
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status < 300).length).toBe(99);
    expect(refused.length).toBe(132 - 99);
    written = answers.filter(({ status }) => status === 201).length;
    for (const answer of refused) {
      expectProblem(answer, 429, 'rate_limited');
      const seconds = Number(answer.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(PERIOD);
      expect(answer.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
    }
  });

  it('writes nothing that it refuses', async () => {
    const count = `select count(*)::int as entities from event_store.streams where kind = 'entity'`;
    const before = await office.sql(count);
    expect(before).toEqual([{ entities: written }]);
    expectProblem(await leeds.post('entities', entity), 429, 'rate_limited');
    expect(await office.sql(count)).toEqual(before);
  });

  it('refuses a request over the limit as such, whatever else is wrong with it', async () => {
    for (const answer of [
      await leeds.post('entities', {}),
      await leeds.get('matters?pageSize=0'),
      await leeds.send('POST', 'entities', '{bad', { 'Content-Type': 'application/json' }),
      await leeds.graphql('{', {}),
    ]) {
      expectProblem(answer, 429, 'rate_limited');
    }
  });

  it('is separate in another tenant, with the limit granted there', async () => {
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push((await york.get('matters')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expectProblem(await york.post('entities', entity), 429, 'rate_limited');
  });

  it('is separate for another integration', async () => {
    const other = await office.caller('leeds', await office.integration('leeds', ['--limit', '5']));
    const answer = await other.post('entities', entity);
    expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([201, '"default";q=5;w=60']);
  });

  it('counts refused requests, too, but not requests without a token', async () => {
    const terms = ['--limit', '2', '--period', `${PERIOD}`, '--permissions', 'matters:read'];
    const narrow = await office.caller('leeds', await office.integration('leeds', terms));
    expectProblem(await narrow.post('entities', entity), 403, 'permission_denied');
    expectProblem(
      await narrow.send('POST', 'entities', undefined, { Authorization: 'Bearer x' }),
      401,
      'invalid_token',
    );
    expectProblem(await narrow.post('entities', entity), 403, 'permission_denied');
    expectProblem(await narrow.post('entities', entity), 429, 'rate_limited');
  });
});
