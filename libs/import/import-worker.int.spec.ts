import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { SystemClock } from '#kernel/clock';
import { conflict, DomainError } from '#kernel/errors';
import { Secrets } from '#platform/secrets';
import { createContext, createTestStore, type TestStore } from '../../test/support/store';
import { waitFor } from '../../test/support/wait-for';
import { SourceFailure } from './connection/source-failure';
import { ImportSettings } from './import-settings';
import type { Ending, ImportSteps } from './import-steps';
import { ImportWorker } from './import-worker';
import type { Loading } from './loading/loading';
import type { StagingErasures } from './loading/staging-erasures';
import { ImportRepeats } from './requests/import-repeats';
import { ImportRequests } from './requests/import-requests';
import type { ImportTurn } from './requests/import-turn';
import { quick } from './testing/extraction-parts';

/** Longer than a busy machine may keep a process from renewing its lease. */
const LEASE_MS = 1_500;
let store: TestStore;
const workers: ImportWorker[] = [];

beforeAll(async () => {
  Logger.overrideLogger(false);
  store = await createTestStore([]);
});
afterEach(async () => {
  await stop();
  // No worker of another test may take an import that a test has left.
  await store.writes.pool.query(`update import.requests set status = 'Failed' where finished_at is null`);
});
afterAll(() => store?.close());

const stop = async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.onApplicationShutdown()));
};

/** Starts another worker with the given steps. */
function start(
  carryOut: (turn: ImportTurn) => Promise<Ending>,
  given: Partial<ImportSettings> = {},
): ImportWorker {
  const settings = Object.assign(new ImportSettings(), quick, { leaseMs: LEASE_MS }, given);
  const requests = new ImportRequests(store.writes, settings);
  const repeats = new ImportRepeats(store.writes, new Secrets(store.config.secretsKey), new SystemClock());
  const steps = { carryOut } as ImportSteps;
  const loading = { settle: async () => undefined } as Partial<Loading> as Loading;
  const erasures = { repeat: async () => 0 } as Partial<StagingErasures> as StagingErasures;
  const worker = new ImportWorker(requests, steps, loading, erasures, repeats);
  workers.push(worker);
  worker.start();
  return worker;
}

async function queue(): Promise<string> {
  const { tenant } = await createContext(store);
  const id = randomUUID();
  await store.writes.pool.query(
    `insert into import.requests (id, tenant_id, message, connection, requested_by, queued_at, updated_at)
     values ($1, $2, 'Waiting', 'sealed', 'integration:test', now(), now())`,
    [id, tenant.id],
  );
  return id;
}

interface Seen {
  status: string;
  message: string;
  connection: string | null;
  is_kept: boolean;
  leased_by: string | null;
  deaths: number;
  finished_at: Date | null;
}

async function seen(id: string): Promise<Seen> {
  const { rows } = await store.writes.pool.query<Seen>('select * from import.requests where id = $1', [id]);
  return rows[0];
}

const ended = (id: string) =>
  waitFor(
    async () => {
      const row = await seen(id);
      return row.finished_at !== null && row;
    },
    { description: 'the import to end' },
  );

/** Carries an import out until the turn is aborted. */
const forever = ({ signal }: ImportTurn) =>
  new Promise<Ending>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

it.each([
  [new SourceFailure('stalled', 'The server stopped answering.'), 'The server stopped answering.'],
  [conflict('staging_alias_taken', 'The alias is taken.'), 'The alias is taken.'],
  [new Error('secret detail'), 'Something went wrong on our side. Tell the operator.'],
])('says why an import has failed: %s', async (error, message) => {
  const id = await queue();
  start(() => Promise.reject(error));
  expect(await ended(id)).toMatchObject({ status: 'Failed', message, connection: null, leased_by: null });
});

it('renews its lease for as long as it takes, so that no other worker takes the import', async () => {
  const id = await queue();
  let begun = 0;
  const hold = (turn: ImportTurn) => {
    begun++;
    return forever(turn);
  };
  start(hold);
  start(hold);
  const first = await waitFor(async () => (await seen(id)).leased_by, { description: 'a lease to be taken' });
  const renewed = async () =>
    (
      await store.writes.pool.query(
        `select from import.requests where id = $1 and updated_at > queued_at + 2 * $2 * interval '1 ms'`,
        [id, LEASE_MS],
      )
    ).rowCount === 1;
  await waitFor(renewed, { description: 'the lease to be renewed for longer than it lasts' });
  expect([begun, (await seen(id)).leased_by]).toEqual([1, first]);
});

it('does not take an import again that it is carrying out, although the lease has ended', async () => {
  const [first, second] = [await queue(), await queue()];
  const begun: string[] = [];
  const hold = (turn: ImportTurn) => {
    begun.push(turn.requestId);
    return forever(turn);
  };
  start(hold, { leaseMs: 0, heartbeatMs: 60_000 });
  await waitFor(() => begun.length === 2, { description: 'the second import to be taken' });
  expect(begun).toEqual([first, second]);
});

it('logs the imports that it takes up, for which others wait', async () => {
  const logged = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
  const ids = [await queue(), await queue()];
  start(forever);
  const waits = await queue();
  await waitFor(() => logged.mock.calls.length >= ids.length, { description: 'two lines in the log' });
  const lines = logged.mock.calls.map(([line]) => String(line));
  logged.mockRestore();
  for (const id of ids) expect(lines).toContainEqual(expect.stringMatching(`^Import ${id} of .+: taken up$`));
  expect(await seen(waits)).toMatchObject({ status: 'Queued', leased_by: null });
});

it('ends an import that is cancelled', async () => {
  const id = await queue();
  start(forever);
  await waitFor(async () => (await seen(id)).leased_by, { description: 'a lease to be taken' });
  await store.writes.pool.query('update import.requests set cancel_requested = true where id = $1', [id]);
  expect(await ended(id)).toMatchObject({ status: 'Cancelled', connection: null });
});

it('ends an import as cancelled when it was cancelled during its last step', async () => {
  const id = await queue();
  start(async ({ requestId, staging }) => {
    const client = await store.writes.session();
    await staging.create(client);
    await client.query('update import.requests set cancel_requested = true where id = $1', [requestId]);
    await client.end();
    return { outcome: 'Validated', message: 'No errors.' };
  });
  expect(await ended(id)).toMatchObject({
    status: 'Cancelled',
    message: 'Cancelled on request.',
    is_kept: false,
  });
});

it.each<[string, () => Promise<Ending>]>([
  ['fails', () => Promise.reject(new SourceFailure('refused', 'The server refused the login.'))],
  ['is found to have errors', async () => ({ outcome: 'ValidationFailed', message: 'There is 1 error.' })],
])('ends an import as cancelled even when it %s after it was cancelled', async (_, outcome) => {
  const id = await queue();
  start(async ({ requestId }) => {
    await store.writes.pool.query('update import.requests set cancel_requested = true where id = $1', [
      requestId,
    ]);
    return outcome();
  });
  expect(await ended(id)).toMatchObject({ status: 'Cancelled', message: 'Cancelled on request.' });
});

it('leaves an import to the next worker at once when its process ends', async () => {
  const id = await queue();
  start(forever);
  await waitFor(async () => (await seen(id)).leased_by, { description: 'a lease to be taken' });
  await stop();
  expect(await seen(id)).toMatchObject({
    status: 'Queued',
    leased_by: null,
    deaths: 0,
    connection: 'sealed',
  });
  start(async () => ({ outcome: 'ValidationFailed', message: 'Over.' }));
  expect(await ended(id)).toMatchObject({ status: 'ValidationFailed', message: 'Over.' });
});

it('has an import tried again when the event store was unavailable', async () => {
  const id = await queue();
  let tries = 0;
  start(async () => {
    if (++tries === 1) throw new DomainError('unavailable', 'store_unavailable', 'The store is away.');
    return { outcome: 'ValidationFailed', message: 'Over.' };
  });
  expect(await ended(id)).toMatchObject({ message: 'Over.', deaths: 1 });
});

it('waits for a database that cannot be reached, however long that takes', async () => {
  const id = await queue();
  let tries = 0;
  start(
    async () => {
      // Unreachable, as the read models' server may be while it is being upgraded.
      if (++tries <= 7) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      return { outcome: 'ValidationFailed', message: 'Over.' };
    },
    { laterMs: 20 },
  );
  expect(await ended(id)).toMatchObject({ message: 'Over.', deaths: 0 });
});

it('ends an import that is cancelled while a database cannot be reached', async () => {
  const id = await queue();
  start(
    async () => {
      await store.writes.pool.query('update import.requests set cancel_requested = true where id = $1', [id]);
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    },
    { laterMs: 20 },
  );
  expect(await ended(id)).toMatchObject({ status: 'Cancelled', leased_by: null });
});

it('gives up an import after several workers have died while they carried it out', async () => {
  const id = await queue();
  await store.writes.pool.query(
    `update import.requests set deaths = 4, leased_by = $2, leased_until = now() - interval '1 s' where id = $1`,
    [id, randomUUID()],
  );
  start(forever);
  expect(await ended(id)).toMatchObject({
    status: 'Failed',
    message: expect.stringContaining('again and again'),
  });
});
