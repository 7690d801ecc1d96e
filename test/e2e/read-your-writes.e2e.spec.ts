import type { Answer, ApiClient, Credentials, Json } from '../support/client';
import type { RunningApp } from '../support/process';
import { waitFor } from '../support/wait-for';
import { Office } from './office';
import { hour, mark } from './records';
import { expectProblem } from './refusals';
import { listingVariables, type Walked, walk, workItemListing } from './specification-walk';

let office: Office;
let command: RunningApp;
let query: RunningApp;
let projector: RunningApp;
let credentials: Credentials;
/** A client whose reads all wait for its last write. */
let api: ApiClient;
let walked: Walked;

beforeAll(async () => {
  office = await Office.create();
  command = await office.start('command');
  [query, projector] = await Promise.all([office.start('query'), office.start('projector')]);
  api = await tenant('acme');
  walked = await walk(api, 'GBP');
});
afterAll(async () => {
  resume();
  await office.close();
});

async function tenant(alias: string): Promise<ApiClient> {
  await office.cli('tenants', 'create', '--alias', alias, '--name', alias, '--region', 'uk');
  credentials = await office.integration(alias);
  return office.caller(alias, credentials, { at: { writes: command.baseUrl, reads: query.baseUrl } });
}

const pause = () => process.kill(projector.pid, 'SIGSTOP');
const resume = () => process.kill(projector.pid, 'SIGCONT');
const positionOf = ({ headers }: Answer) => headers.get('x-event-position');
const division = (caller: ApiClient, name = mark()) => caller.post('divisions', { name });

/** Every kind of read, of a record that was created while the projector was stopped. */
async function reads(caller: ApiClient, headers: Record<string, string>): Promise<Record<string, Answer>> {
  const { matterId } = walked;
  const { criteria, slice } = listingVariables();
  const listing = { operationName: 'GetRows', query: workItemListing, variables: { criteria, slice } };
  const asked = {
    list: caller.get('divisions', headers),
    one: caller.get(`matters/${matterId}`, headers),
    history: caller.get(`matters/${matterId}/history`, headers),
    head: caller.send('HEAD', 'divisions', undefined, headers),
    graphql: caller.post(`/${caller.tenant}/graphql`, listing, headers),
  };
  const answers = await Promise.all(
    Object.entries(asked).map(async ([name, answer]) => [name, await answer]),
  );
  return Object.fromEntries(answers);
}

const statuses = (answers: Record<string, Answer>) =>
  Object.fromEntries(Object.entries(answers).map(([name, { status }]) => [name, status]));
const all = (status: number) => ({
  list: status,
  one: status,
  history: status,
  head: status,
  graphql: status,
});

describe('a write', () => {
  it('returns its position: for create, change, action, deletion, many at once, and a repeat', async () => {
    const created = await division(api);
    const { id } = created.body.data;
    const key = { 'Idempotency-Key': mark() };
    const item = hour(walked.matterId, walked.employeeId);
    const recorded = await api.post('workitems', item, key);
    const keyed = { 'Idempotency-Key': mark() };
    const ids = [recorded.body.data.id];
    await api.data('POST', `workitems/${ids[0]}/unfinalise`);
    const writes = [
      created,
      await api.patch(`divisions/${id}`, { name: mark() }),
      await api.patch(`divisions/${id}`, { name: mark() }, { Prefer: 'return=representation' }),
      await api.post(`divisions/${id}/deactivate`),
      await api.delete(`divisions/${id}`),
      await api.post('workitems/finalise', { ids }, keyed),
    ];
    const positions = writes.map(positionOf);
    expect(positions).toEqual(writes.map(() => expect.stringMatching(/^[\w-]+$/)));
    expect(new Set(positions).size).toBe(writes.length);
    const again = [
      await api.post('workitems', item, key),
      await api.post('workitems/finalise', { ids }, keyed),
    ];
    expect(again.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual(['true', 'true']);
    expect(again.map(positionOf)).toEqual([positionOf(recorded), positions[5]]);
  });
});

describe('a read with X-Min-Position', () => {
  it('waits for the projector, for every kind of read', async () => {
    pause();
    const name = mark();
    const minimum = { 'X-Min-Position': positionOf(await division(api, name))! };
    let answered = 0;
    const waiting = reads(api, minimum).finally(() => answered++);
    const found = api.get(`divisions?keywords=${name}`, minimum).finally(() => answered++);
    expect((await fetch(`${query.baseUrl}/health/live`)).status).toBe(200);
    expect(answered).toBe(0);
    resume();
    expect(statuses(await waiting)).toEqual(all(200));
    expect((await found).body.data.rows).toHaveLength(1);
  });

  it('is refused after 5 s, and not answered with less', async () => {
    pause();
    const minimum = { 'X-Min-Position': positionOf(await division(api))! };
    const began = Date.now();
    const late = await reads(api, minimum);
    expect(Date.now() - began).toBeGreaterThanOrEqual(5000);
    resume();
    expect(statuses(late)).toEqual(all(503));
    for (const name of ['list', 'one', 'history', 'graphql'])
      expectProblem(late[name], 503, 'position_not_reached');
    expect(late.list.headers.get('retry-after')).toBe('1');
  });

  it('refuses an invalid position, and accepts that of another tenant without harm', async () => {
    const malformed = await reads(api, { 'X-Min-Position': 'nonsense' });
    expect(statuses(malformed)).toEqual(all(400));
    expectProblem(malformed.list, 400, 'invalid_position');
    const other = await tenant('other');
    const name = mark();
    const theirs = positionOf(await division(api, name))!;
    const answer = await other.get(`divisions?keywords=${name}`, { 'X-Min-Position': theirs });
    if (answer.status === 200) expect(answer.body.data.rows).toEqual([]);
    else expectProblem(answer, 503, 'position_not_reached');
  });

  it('works for a tenant that was rebuilt alone', async () => {
    const alone = await tenant('alone');
    await office.cli('projections', 'rebuild', 'divisions', '--tenant', 'alone');
    const name = mark();
    await division(alone, name);
    expect(await alone.rows('divisions', { keywords: name })).toHaveLength(1);
    await division(api, name);
    expect(await api.rows('divisions', { keywords: name })).toHaveLength(1);
  });

  it('gives no outdated answer for a parked tenant, which continues once it is repaired', async () => {
    const parked = await tenant('parked');
    const before = positionOf(await division(parked))!;
    await parked.rows('divisions');
    pause();
    const name = mark();
    const poison = await division(parked, name);
    const where = `where data ->> 'name' = '${name}'`;
    await office.sql(`update event_store.events set data = data || '{"name": null}' ${where}`);
    resume();
    await waitFor(
      async () =>
        (await office.cli('projections', 'list')).some(({ parked: tenants }: Json) =>
          tenants.includes('parked'),
        ),
      { description: 'the tenant to be parked' },
    );
    const minimum = { 'X-Min-Position': positionOf(poison)! };
    expectProblem(await parked.get('divisions', minimum), 503, 'position_not_reached');
    expect((await parked.get('divisions', { 'X-Min-Position': before })).status).toBe(200);
    await division(api, name);
    expect(await api.rows('divisions', { keywords: name })).not.toHaveLength(0);

    const [{ id }] = await office.sql<{ id: string }>(
      `select event_id as id from event_store.events where data @> '{"name": null}' and type = 'DivisionCreated'`,
    );
    await office.sql(
      `update event_store.events set data = data || '{"name": "${name}"}' where event_id = '${id}'`,
    );
    await office.cli('projections', 'retry', 'divisions', '--tenant', 'parked');
    expect((await parked.get(`divisions?keywords=${name}`, minimum)).body.data.rows).toHaveLength(1);
  });
});

describe('GET of a record', () => {
  it('waits for its own writes without being asked to', async () => {
    const plain = await office.caller('acme', await office.integration('acme'), {
      at: { writes: command.baseUrl, reads: query.baseUrl },
    });
    const { id } = (await division(api)).body.data;
    await api.data('GET', `divisions/${id}`);
    pause();
    const unseen = (await division(api)).body.data.id;
    await api.data('PATCH', `divisions/${id}`, { name: 'Changed meanwhile' });
    const [old, hidden] = await Promise.all([plain.get(`divisions/${id}`), plain.get(`divisions/${unseen}`)]);
    expect([old.status, old.headers.get('etag')]).toEqual([200, '"1"']);
    expectProblem(hidden, 503, 'position_not_reached');
    expectProblem(await plain.get(`divisions/division_${'0'.repeat(32)}`), 404, 'not_found');
    resume();
    await plain.data('GET', `divisions/${unseen}`);
    await waitFor(async () => (await plain.data('GET', `divisions/${id}`)).name === 'Changed meanwhile', {
      description: 'the change',
    });
  });
});

describe('changedAfter', () => {
  it('lets a client keep a copy while others create, change and delete', async () => {
    const caller = await tenant('copied');
    const reader = await office.caller('copied', credentials, {
      at: { writes: command.baseUrl, reads: query.baseUrl },
    });
    const write = async () => {
      const own: string[] = [];
      for (let step = 0; step < 40; step++) {
        if (step % 3 === 0)
          own.push(await caller.create('entities', { entityType: 'Individual', lastName: mark() }));
        else if (step % 3 === 1) await caller.data('PATCH', `entities/${own[0]}`, { firstName: mark() });
        else if (step % 4 === 0) await caller.data('DELETE', `entities/${own.shift()}`);
      }
    };
    let done = false;
    const writing = Promise.all([write(), write(), write(), write()]).finally(() => {
      done = true;
    });
    const copy = new Map<string, Json>();
    for (let changedAfter = 'start', last = false; ; ) {
      const ending = done;
      const answer = await reader.get(`entities?changedAfter=${changedAfter}&pageSize=5`);
      const { rows, hasMore } = answer.body.data;
      for (const row of rows) copy.set(row.id, row);
      changedAfter = positionOf(answer)!;
      if (rows.length > 0 || hasMore || !ending) continue;
      if (last) break;
      // Everything was written, but may not be shown yet: waits for it once, then reads on until nothing is left.
      await caller.get('entities?pageSize=1');
      last = true;
    }
    await writing;
    const final = await caller.rows('entities', { includeDeleted: true, pageSize: 200 });
    expect(final.length).toBeGreaterThan(50);
    const byId = (rows: Json[]) => rows.sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId([...copy.values()])).toEqual(byId(final));
    expect(final.filter(({ isDeleted }) => isDeleted)).toHaveLength(12);
  });
});
