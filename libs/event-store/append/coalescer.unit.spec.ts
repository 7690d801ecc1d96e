import { setImmediate as nextTurn } from 'node:timers/promises';
import { DomainError } from '#kernel/errors';
import { Coalescer, type Locks } from './coalescer';

interface Job {
  name: string;
  locks?: Partial<Locks>;
}

/** A coalescer whose batches stay in flight until they are answered. */
function gated(lanes: number) {
  const batches: { names: string[]; answer(results?: (string | Error)[]): void; fail(error: Error): void }[] =
    [];
  const coalescer = new Coalescer<Job, string>(
    (jobs) =>
      new Promise((resolve, reject) => {
        const names = jobs.map(({ name }) => name);
        batches.push({ names, answer: (results = names) => resolve(results), fail: reject });
      }),
    { lanes, locks: ({ locks }) => ({ exclusive: [], shared: [], ...locks }) },
  );
  const names = () => batches.map((batch) => batch.names);
  return { coalescer, batches, names };
}

describe('Coalescer', () => {
  it('sends jobs that arrive in one turn of the event loop together, and answers each', async () => {
    const { coalescer, batches, names } = gated(1);
    const answers = ['a', 'b', 'c'].map((name) => coalescer.submit({ name }));
    await nextTurn();
    expect(names()).toEqual([['a', 'b', 'c']]);
    batches[0].answer();
    expect(await Promise.all(answers)).toEqual(['a', 'b', 'c']);
  });

  it('queues jobs while its lane is busy', async () => {
    const { coalescer, batches, names } = gated(1);
    const first = coalescer.submit({ name: 'a' });
    await nextTurn();
    const later = [coalescer.submit({ name: 'b' }), coalescer.submit({ name: 'c' })];
    await nextTurn();
    expect(names()).toEqual([['a']]);
    batches[0].answer();
    await first;
    await nextTurn();
    await nextTurn();
    expect(names()).toEqual([['a'], ['b', 'c']]);
    batches[1].answer();
    await Promise.all(later);
  });

  it('shares many jobs out between its lanes, and keeps few together', async () => {
    const { coalescer, names } = gated(2);
    for (let index = 0; index < 10; index++) void coalescer.submit({ name: `few ${index}` });
    await nextTurn();
    expect(names().map(({ length }) => length)).toEqual([10]);

    const many = gated(2);
    for (let index = 0; index < 100; index++) void many.coalescer.submit({ name: `many ${index}` });
    await nextTurn();
    await nextTurn();
    expect(many.names().map(({ length }) => length)).toEqual([50, 50]);
  });

  it('takes at most 256 jobs, and no more than a thousand locks', async () => {
    const jobs = gated(1);
    for (let index = 0; index < 300; index++) void jobs.coalescer.submit({ name: `${index}` });
    await nextTurn();
    expect(jobs.names()[0]).toHaveLength(256);

    const locks = gated(1);
    for (let index = 0; index < 10; index++) {
      const exclusive = Array.from({ length: 500 }, (_, lock) => BigInt(index * 500 + lock));
      void locks.coalescer.submit({ name: `${index}`, locks: { exclusive } });
    }
    await nextTurn();
    expect(locks.names()[0]).toEqual(['0', '1', '2']);
  });

  it.each<[string, Partial<Locks>, Partial<Locks>, boolean]>([
    ['two writers of one thing', { exclusive: [1n] }, { exclusive: [1n] }, false],
    ['a writer of a thing, then a job that relies on it', { exclusive: [1n] }, { shared: [1n] }, false],
    ['a job that relies on a thing, then its writer', { shared: [1n] }, { exclusive: [1n] }, false],
    ['two jobs that rely on one thing', { shared: [1n] }, { shared: [1n] }, true],
    ['two writers of two things', { exclusive: [1n] }, { exclusive: [2n] }, true],
  ])(
    'puts two jobs into one batch only when their locks allow it: %s',
    async (_, first, second, together) => {
      const { coalescer, names } = gated(1);
      void coalescer.submit({ name: 'first', locks: first });
      void coalescer.submit({ name: 'second', locks: second });
      void coalescer.submit({ name: 'other', locks: { exclusive: [9n] } });
      await nextTurn();
      expect(names()).toEqual([together ? ['first', 'second', 'other'] : ['first', 'other']]);
    },
  );

  it('lets no job overtake another that waits for the same thing', async () => {
    const { coalescer, batches, names } = gated(1);
    void coalescer.submit({ name: 'first', locks: { exclusive: [1n] } });
    void coalescer.submit({ name: 'waits', locks: { exclusive: [1n, 2n] } });
    void coalescer.submit({ name: 'behind', locks: { exclusive: [2n] } });
    await nextTurn();
    expect(names()).toEqual([['first']]);
    batches[0].answer();
    await nextTurn();
    await nextTurn();
    expect(names()).toEqual([['first'], ['waits']]);
  });

  it('can reject a single job of a batch', async () => {
    const { coalescer, batches } = gated(1);
    const answers = Promise.allSettled(['a', 'b'].map((name) => coalescer.submit({ name })));
    await nextTurn();
    batches[0].answer([new Error('refused'), 'b']);
    expect(await answers).toMatchObject([{ reason: { message: 'refused' } }, { value: 'b' }]);
  });

  it('goes on when a batch has landed, although one of its jobs takes longer', async () => {
    let finish!: (result: string) => void;
    const later = new Promise<string>((resolve) => (finish = resolve));
    const coalescer = new Coalescer<string, string>(
      async (jobs) => jobs.map((job) => (job === 'slow' ? later : job)),
      { lanes: 1 },
    );
    const slow = coalescer.submit('slow');
    expect(await coalescer.submit('a')).toBe('a');
    expect(await coalescer.submit('b')).toBe('b');
    finish('done');
    expect(await slow).toBe('done');
  });

  it('runs the jobs of a batch that failed as a whole one by one', async () => {
    const runs: string[][] = [];
    const coalescer = new Coalescer<string, string>(
      async (jobs) => {
        runs.push(jobs);
        if (jobs.includes('poison')) throw new Error('cannot be stored');
        return jobs;
      },
      { lanes: 1 },
    );
    const answers = await Promise.allSettled(['a', 'poison', 'b'].map((job) => coalescer.submit(job)));
    expect(answers).toMatchObject([
      { value: 'a' },
      { reason: { message: 'cannot be stored' } },
      { value: 'b' },
    ]);
    expect(runs).toEqual([['a', 'poison', 'b'], ['a'], ['poison'], ['b']]);
    expect(await coalescer.submit('after')).toBe('after');
  });

  it('tells all jobs that the store is unavailable, and tries none of them again', async () => {
    const run = jest.fn().mockRejectedValue(new DomainError('unavailable', 'store_unavailable', 'Down.'));
    const coalescer = new Coalescer<string, string>(run, { lanes: 1 });
    const answers = await Promise.allSettled(['a', 'b'].map((job) => coalescer.submit(job)));
    expect(answers.map((answer) => (answer as PromiseRejectedResult).reason.code)).toEqual([
      'store_unavailable',
      'store_unavailable',
    ]);
    expect(run).toHaveBeenCalledTimes(1);
  });
});
