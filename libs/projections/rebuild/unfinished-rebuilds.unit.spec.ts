import { Logger } from '@nestjs/common';
import { DatabaseError } from 'pg';
import type { ReadDatabase } from '#platform/database';
import type { ProjectionRebuild } from './projection-rebuild';
import { UnfinishedRebuilds } from './unfinished-rebuilds';

const EVERY_MS = 5_000;

describe('looking for unfinished rebuilds', () => {
  let asked: string[];
  let failures: Map<string, Error>;
  let unfinished: UnfinishedRebuilds;
  let signal: AbortSignal | undefined;
  let errors: jest.SpyInstance;
  let warnings: jest.SpyInstance;

  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    asked = [];
    failures = new Map();
    const rebuild = {
      names: ['people', 'matters', 'tenants'],
      async resume(name: string, given?: AbortSignal) {
        asked.push(name);
        signal = given;
        const failure = failures.get(name);
        if (failure) throw failure;
      },
    };
    const reads = { pool: { query: async () => ({ rows: [{ ended: 0 }] }) } };
    unfinished = new UnfinishedRebuilds(
      rebuild as unknown as ProjectionRebuild,
      reads as unknown as ReadDatabase,
    );
    unfinished.start();
  });
  afterEach(async () => {
    await unfinished.onApplicationShutdown();
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  async function lookedAt(times = 1): Promise<string[]> {
    asked = [];
    await jest.advanceTimersByTimeAsync(times * EVERY_MS);
    return asked;
  }

  it('goes on with the others when one fails, and leaves that one alone for five minutes', async () => {
    failures.set('matters', new Error('cannot fold this'));
    expect(await lookedAt()).toEqual(['people', 'matters', 'tenants']);
    expect(errors).toHaveBeenCalledWith('The rebuild of matters failed: cannot fold this');
    expect(await lookedAt()).toEqual(['people', 'tenants']);
    failures.clear();
    expect(await lookedAt(57)).not.toContain('matters');
    expect(await lookedAt(2)).toContain('matters');
    expect(errors).toHaveBeenCalledTimes(1);
  });

  it('looks again at once after a lost connection', async () => {
    failures.set('people', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    await lookedAt();
    expect(await lookedAt()).toEqual(['people', 'matters', 'tenants']);
  });

  it('looks again at once after a statement was cancelled for taking too long', async () => {
    failures.set('people', Object.assign(new DatabaseError('canceled', 0, 'error'), { code: '57014' }));
    await lookedAt();
    expect(await lookedAt()).toEqual(['people', 'matters', 'tenants']);
  });

  it('says once for each look that the database is away, and not that rebuilds failed', async () => {
    for (const name of ['people', 'matters', 'tenants'])
      failures.set(name, Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    await lookedAt();
    expect(errors).not.toHaveBeenCalled();
    expect(warnings).toHaveBeenCalledTimes(1);
    expect(warnings).toHaveBeenCalledWith('Interrupted rebuilds continue when the database answers: refused');
  });

  it('stops the rebuild in hand with its process, and looks no more', async () => {
    await lookedAt();
    expect(signal?.aborted).toBe(false);
    await unfinished.onApplicationShutdown();
    expect(signal?.aborted).toBe(true);
    expect(await lookedAt(3)).toEqual([]);
  });
});
