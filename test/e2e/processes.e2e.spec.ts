import type { ApiClient, Credentials } from '../support/client';
import type { RunningApp } from '../support/process';
import { waitFor } from '../support/wait-for';
import { Office } from './office';
import { hour } from './records';
import { expectProblem } from './refusals';
import {
  columns,
  expectReports,
  listingVariables,
  type Walked,
  walk,
  workItemListing,
} from './specification-walk';

let office: Office;
let command: RunningApp;
let query: RunningApp;
let projector: RunningApp;
let worker: RunningApp;
let credentials: Credentials;
let api: ApiClient;
let walked: Walked;

beforeAll(async () => {
  office = await Office.create();
  command = await office.start('command');
  [query, projector, worker] = await Promise.all([
    office.start('query'),
    office.start('projector'),
    office.start('worker'),
  ]);
  await office.cli('tenants', 'create', '--alias', 'acme', '--name', 'Acme', '--region', 'uk');
  credentials = await office.integration('acme');
  api = await office.caller('acme', credentials, { at: { reads: query.baseUrl } });
});
afterAll(() => office.close());

/** Records work items at once. @returns their ids */
async function record(count: number, title: string): Promise<string[]> {
  const body = hour(walked.matterId, walked.employeeId, { title, units: 1 });
  return Promise.all(Array.from({ length: count }, () => api.create('workitems', body)));
}

/** Ids and units of the work with a title, in the list and in the report. */
async function seen(title: string) {
  const ids = [];
  for (let pageIndex = 0, more = true; more; pageIndex++) {
    const { rows, hasMore } = await api.data(
      'GET',
      `workitems?keywords=${title}&pageSize=200&pageIndex=${pageIndex}`,
    );
    for (const { id } of rows) ids.push(id);
    more = hasMore;
  }
  return ids.sort();
}

async function totalUnits(): Promise<number> {
  const { criteria, slice } = listingVariables();
  const totals = { ...slice, cols: columns(['units:sum']), sortBy: [], totalsOnly: true };
  const { body } = await api.graphql(workItemListing, { criteria, slice: totals });
  return body.data.work_item_listing[0].units;
}

describe('command, query, projector and worker', () => {
  it('carry out the main path of the specification together', async () => {
    walked = await walk(api, 'GBP');
    await expectReports(api, walked);
  });

  it('serve only their own addresses', async () => {
    const headers = { Authorization: `Bearer ${api.token}` };
    const ask = async (app: RunningApp, method: string, path: string) =>
      (await fetch(app.baseUrl + path, { method, headers })).status;
    expect(await ask(command, 'GET', '/acme/api/v1/matters')).toBe(404);
    expect(await ask(command, 'POST', '/acme/graphql')).toBe(404);
    expect(await ask(query, 'POST', '/acme/api/v1/matters')).toBe(404);
    expect(await ask(query, 'POST', '/oauth2/token')).toBe(404);
    expect(await ask(projector, 'GET', '/acme/api/v1/matters')).toBe(404);
    expect(await ask(worker, 'GET', '/acme/api/v1/matters')).toBe(404);
    for (const app of [command, query, projector, worker]) {
      for (const path of ['/health/live', '/health/ready', '/metrics'])
        expect(await ask(app, 'GET', path)).toBe(200);
    }
    for (const app of [command, query]) expect(await ask(app, 'GET', '/.well-known/jwks.json')).toBe(200);
  });

  it('lose and duplicate nothing when the projector is killed in its work', async () => {
    const before = await totalUnits();
    const first = record(150, 'Flood');
    await waitFor(async () => (await seen('Flood').catch(() => [])).length > 0, {
      description: 'the first rows',
    });
    await projector.stop('SIGKILL');
    const made = [...(await first), ...(await record(50, 'Flood'))];
    const late = await api.get('workitems?keywords=Flood', { 'X-Min-Position': api.position! });
    expectProblem(late, 503, 'position_not_reached');
    expect(late.headers.get('retry-after')).toBe('1');
    projector = await office.start('projector');
    expect(await seen('Flood')).toEqual(made.sort());
    expect(await totalUnits()).toBe(before + 200);
  });

  it('share the work of two projectors, and continue with one', async () => {
    const before = await totalUnits();
    const second = await office.start('projector');
    const made = await record(50, 'Pair');
    expect(await seen('Pair')).toEqual(made.sort());
    expect(await projector.stop()).toBe(0);
    made.push(...(await record(50, 'Pair')));
    expect(await seen('Pair')).toEqual(made.sort());
    expect(await totalUnits()).toBe(before + 100);
    expect(await second.stop()).toBe(0);
  });

  it('answer reads while the projector is away, and writes while query is', async () => {
    const reader = await office.caller('acme', credentials, { at: { reads: query.baseUrl } });
    expect((await reader.get('workitems')).status).toBe(200);
    expect(await query.stop()).toBe(0);
    expect(await record(1, 'Alone')).toHaveLength(1);
  });
});
