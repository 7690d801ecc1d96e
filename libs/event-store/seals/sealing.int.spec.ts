import { Logger } from '@nestjs/common';
import { register } from 'prom-client';
import { Parent } from '#event-store/testing/streams';
import { SystemClock } from '#kernel/clock';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, openStore, type TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { Sealing } from './sealing';
import { type SealsOf, sealsOf, writeThree } from './testing/sealed-store';

const clock = new SystemClock();

class SoonGivenUp extends Sealing {
  protected override readonly silenceMs = 500;
}

interface Resting {
  rest(milliseconds: number): Promise<void>;
}

describe('the sealing job', () => {
  let store: TestStore;
  let context: RequestContext;
  let sealed: SealsOf;
  beforeEach(async () => {
    store = await createTestStore([Parent]);
    context = await createContext(store);
    sealed = sealsOf(store);
  });
  afterEach(() => store.close());

  const rows = async (text: string, values: unknown[] = []) =>
    (await store.writes.pool.query(text, values)).rows;
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  afterAll(() => warn.mockRestore());

  const leaders = (url: string) =>
    rows(
      `select distinct a.pid from pg_locks l join pg_stat_activity a using (pid)
       where l.locktype = 'advisory' and l.granted and a.datname = $1`,
      [new URL(url).pathname.slice(1)],
    );
  const allSealed = (count: number) =>
    waitFor(async () => (await sealed.proofOf(context)).sealed === count, {
      description: `${count} events to be sealed`,
    });

  it('is done by one process, and by another when that one ends or loses its connection', async () => {
    const second = openStore(store.url, [Parent]);
    const [one, two] = [
      new Sealing(store.writes, store.feed, clock),
      new Sealing(second.writes, second.feed, clock),
    ];
    one.start();
    await waitFor(async () => (await leaders(store.url)).length === 1, { description: 'a leader' });
    two.start();
    await writeThree(store, context, 'one');
    await allSealed(3);
    const [{ pid }] = await leaders(store.url);

    await one.onApplicationShutdown();
    await waitFor(async () => (await leaders(store.url)).some((leader) => leader.pid !== pid), {
      description: 'another leader',
    });
    await writeThree(store, context, 'two');
    await rows(`select pg_terminate_backend($1)`, [(await leaders(store.url))[0].pid]);
    await allSealed(6);
    await waitFor(() => warn.mock.calls.some(([line]) => /^Sealing goes on in 5 s: /.test(String(line))), {
      description: 'the lost connection to be logged',
    });
    await two.onApplicationShutdown();
    await second.close();
    expect(await sealed.proofOf(context)).toMatchObject({ sealed: 6, problem: null });
  });

  it('goes to another process when the one that does it is frozen', async () => {
    const second = openStore(store.url, [Parent]);
    const [frozen, other] = [
      new SoonGivenUp(store.writes, store.feed, clock),
      new Sealing(second.writes, second.feed, clock),
    ];
    // Nothing runs in a frozen process: what it waits for never happens.
    let thaw = () => {};
    jest.spyOn(frozen as unknown as Resting, 'rest').mockReturnValueOnce(
      new Promise((resolve) => {
        thaw = resolve;
      }),
    );
    frozen.start();
    await waitFor(async () => (await leaders(store.url)).length === 1, { description: 'a leader' });
    other.start();
    await writeThree(store, context, 'one');
    await allSealed(3);
    thaw();
    await Promise.all([frozen.onApplicationShutdown(), other.onApplicationShutdown()]);
    await second.close();
  });

  it('rests no longer than usual after a turn that had to wait for the database', async () => {
    const job = new Sealing(store.writes, store.feed, clock);
    const rest = jest.spyOn(job as unknown as Resting, 'rest');
    await writeThree(store, context, 'one');
    const holder = await store.writes.pool.connect();
    await holder.query('begin; lock table event_store.seals');
    job.start();
    const waiting = `select from pg_locks where not granted
      and database = (select oid from pg_database where datname = current_database())`;
    const waits = async () => (await rows(waiting)).length > 0;
    await waitFor(waits, { description: 'the job to wait for the lock' });
    await holder.query('select pg_sleep(0.5); rollback');
    holder.release();
    await allSealed(3);
    await waitFor(() => rest.mock.calls.length > 0, { description: 'the job to rest' });
    await job.onApplicationShutdown();
    expect(Math.max(...rest.mock.calls.map(([milliseconds]) => milliseconds))).toBeLessThanOrEqual(5_000);
  });

  it('says how old the oldest event is that has no seal', async () => {
    const lag = async () => {
      const metric = await register.getSingleMetric('seal_lag_seconds')!.get();
      return metric.values.map(({ value }) => value);
    };
    const job = new Sealing(store.writes, store.feed, clock);
    job.start();
    await waitFor(async () => (await leaders(store.url)).length === 1, { description: 'a leader' });
    expect(await lag()).toEqual(Array(12).fill(0));

    const holder = await store.writes.pool.connect();
    await holder.query('begin; lock table event_store.seals');
    await writeThree(store, context, 'one');
    await rows(
      `update event_store.events set recorded_at = recorded_at - interval '1 hour' where version = 1`,
    );
    expect((await lag()).filter((seconds) => seconds > 3_600)).toHaveLength(1);

    await holder.query('rollback');
    holder.release();
    await allSealed(3);
    expect(await lag()).toEqual(Array(12).fill(0));
    await job.onApplicationShutdown();
  });
});
