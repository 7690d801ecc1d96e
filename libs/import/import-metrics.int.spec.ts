import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { type Gauge, register } from 'prom-client';
import { createContext, createTestStore, type TestStore } from '../../test/support/store';
import { ImportMetrics } from './import-metrics';
import { ImportSettings } from './import-settings';
import { PromotionRequests } from './promotion/promotion-requests';
import { PromotionTurn } from './promotion/promotion-turn';
import { ImportRequests } from './requests/import-requests';
import { ImportTurn } from './requests/import-turn';
import type { Turn } from './requests/turn';

let store: TestStore;
const turns: Turn[] = [];
/** The counter of ends, as a process begins with it. */
let atStart: string;

beforeAll(async () => {
  atStart = await register.getSingleMetricAsString('imports_ended_total');
  store = await createTestStore([]);
  new ImportMetrics(store.writes, settings).onModuleInit();
});
beforeEach(async () => {
  register.resetMetrics();
  await store.writes.pool.query('delete from import.requests');
});
afterEach(() => Promise.all(turns.splice(0).map((turn) => turn.close())));
afterAll(() => store?.close());

const settings = new ImportSettings();
const worker = randomUUID();
const parts = <Requests>(requests: Requests) => ({
  worker,
  requests,
  database: store.writes,
  settings,
  log: new Logger(),
});

/** Stores a request of a tenant of its own, which was last heard of some seconds ago. */
async function request(
  kind: string,
  status: string,
  seconds = 0,
  leased?: string,
  leasedSeconds = 10,
): Promise<string> {
  const { tenant } = await createContext(store);
  const id = randomUUID();
  await store.writes.pool.query(
    `insert into import.requests (id, tenant_id, kind, status, message, requested_by, queued_at, updated_at,
       promotion_step, leased_by, leased_until)
     values ($1, $2, $3, $4, '', 'integration:test', now(), now() - $5 * interval '1 second',
       'Checking', $6, case when $6::uuid is not null then now() + $7 * interval '1 second' end)`,
    [id, tenant.id, kind, status, seconds, leased ?? null, leasedSeconds],
  );
  return id;
}

interface Sample {
  labels: Record<string, string>;
  value: number;
  /** Of a histogram, which has several. */
  metricName?: string;
}

async function samples(name: string): Promise<Sample[]> {
  const { values } = await (register.getSingleMetric(name) as Gauge).get();
  return values as Sample[];
}

/** The samples of a metric that are not 0, as `name{values of the labels}`. */
async function shown(name: string): Promise<Record<string, number>> {
  const others = (await samples(name)).filter(({ value }) => value !== 0);
  return Object.fromEntries(
    others.map(({ labels, value, metricName = name }) => [
      `${metricName}{${Object.values(labels).join()}}`,
      value,
    ]),
  );
}

async function takeImport(): Promise<ImportTurn> {
  const requests = new ImportRequests(store.writes, settings);
  const turn = new ImportTurn((await requests.take(worker))!, parts(requests));
  turns.push(turn);
  return turn;
}

async function takePromotion(): Promise<PromotionTurn> {
  const requests = new PromotionRequests(store.writes, settings);
  const turn = new PromotionTurn((await requests.take(worker))!, parts(requests));
  turns.push(turn);
  return turn;
}

it('requests under way are counted by state, those that have ended are not', async () => {
  await request('Import', 'Queued');
  await request('Import', 'Queued');
  await request('Promotion', 'Promoting');
  await request('Import', 'ValidationFailed');
  expect(await shown('imports')).toEqual({ 'imports{Queued}': 2, 'imports{Promoting}': 1 });
});

it('a state in which no import is has the value 0, so that its series does not end', async () => {
  expect((await samples('imports')).map(({ value }) => value)).toEqual(Array(9).fill(0));
});

it('the longest wait for a worker is told, a request that a worker holds does not wait', async () => {
  const waiting = async () => Object.values(await shown('import_waiting_seconds'));
  expect(await waiting()).toEqual([]);
  await request('Import', 'Extracting', 500, randomUUID());
  expect(await waiting()).toEqual([]);
  await request('Import', 'Queued', 100);
  await request('Promotion', 'PromotionQueued', 200);
  const [seconds] = await waiting();
  expect(seconds).toBeGreaterThanOrEqual(200);
  expect(seconds).toBeLessThan(300);
});

it('the longest time for which a tenant has taken no writes is told, and not what workers do meanwhile', async () => {
  const closed = async () => Object.values(await shown('import_writes_closed_seconds'));
  expect(await closed()).toEqual([]);
  for (const seconds of [20, 700])
    await store.writes.pool.query(
      `insert into event_store.closed_tenants (tenant_id, reason, since)
       values ($1, 'promotion_in_progress', now() - $1::int * interval '1 second')`,
      [seconds],
    );
  const [seconds] = await closed();
  expect(seconds).toBeGreaterThanOrEqual(700);
  expect(seconds).toBeLessThan(800);
  await store.writes.pool.query('delete from event_store.closed_tenants');
});

it('a request waits whose lease ends further ahead than any lease can', async () => {
  await request('Import', 'Extracting', 500, randomUUID(), 3_600);
  const [[, seconds]] = Object.entries(await shown('import_waiting_seconds'));
  expect(seconds).toBeGreaterThanOrEqual(500);
});

it('the rows, the duration and the end of each step and import are counted', async () => {
  await request('Import', 'Queued');
  const turn = await takeImport();
  await turn.advance('Extracting');
  turn.worked(7);
  await turn.advance('Validating');
  await turn.advance('Loading');
  turn.report('Matter', { loaded: 2 });
  turn.report('Matter', { loaded: 5 });
  await turn.end('ValidationFailed', 'There is 1 error.');
  expect(await shown('import_rows_total')).toEqual({
    'import_rows_total{Extracting}': 7,
    'import_rows_total{Loading}': 5,
  });
  const durations = await shown('import_step_seconds');
  for (const step of ['Extracting', 'Validating', 'Loading'])
    expect(durations[`import_step_seconds_count{${step}}`]).toBe(1);
  expect(Object.keys(durations).filter((name) => name.startsWith('import_step_seconds_count'))).toHaveLength(
    3,
  );
  expect(await shown('imports_ended_total')).toEqual({
    'imports_ended_total{Import,ValidationFailed}': 1,
  });
});

it('an end counts as it is stored: as cancelled, when the cancellation was accepted before', async () => {
  const id = await request('Import', 'Queued');
  const turn = await takeImport();
  await store.writes.pool.query('update import.requests set cancel_requested = true where id = $1', [id]);
  await turn.end('Failed', 'The server stopped answering.');
  expect(await shown('imports_ended_total')).toEqual({ 'imports_ended_total{Import,Cancelled}': 1 });
});

it('an end that another worker has taken over is not counted', async () => {
  const id = await request('Import', 'Queued');
  const turn = await takeImport();
  await store.writes.pool.query('update import.requests set leased_by = $2 where id = $1', [
    id,
    randomUUID(),
  ]);
  await expect(turn.end('Failed', '')).rejects.toThrow('Another worker');
  expect(await shown('imports_ended_total')).toEqual({});
});

it('promotions are counted too', async () => {
  await request('Promotion', 'PromotionQueued');
  const turn = await takePromotion();
  await turn.advance('Appending');
  turn.report('Matter', { loaded: 3 });
  await turn.end({ outcome: 'PromotionFailed', message: '' });
  expect(await shown('import_rows_total')).toEqual({ 'import_rows_total{Appending}': 3 });
  expect(await shown('imports_ended_total')).toEqual({
    'imports_ended_total{Promotion,PromotionFailed}': 1,
  });
});

it('outcomes that have not occurred have the value 0, so that the first one is an increase', () => {
  for (const outcome of ['Failed', 'ValidationFailed', 'Validated'])
    expect(atStart).toContain(`imports_ended_total{kind="Import",outcome="${outcome}"} 0`);
  for (const outcome of ['Promoted', 'PromotionFailed', 'Cancelled'])
    expect(atStart).toContain(`imports_ended_total{kind="Promotion",outcome="${outcome}"} 0`);
});
