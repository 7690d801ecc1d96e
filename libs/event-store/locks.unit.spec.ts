import { v5, v7 } from 'uuid';
import { type AppendJob, locksOf } from './append/append-job';
import { nameLock, streamLock } from './locks';

const job = (more: Partial<AppendJob>): AppendJob => ({
  tenantId: 1,
  partition: 0,
  at: new Date(0),
  metadata: '{}',
  streams: [],
  events: [],
  guards: [],
  sections: {},
  ...more,
});
const write = (stream: string) => ({
  stream,
  kind: 'client',
  expected: 0,
  version: 1,
  stateVersion: 1,
  state: '{}',
});

describe('locks', () => {
  it('are bigints that PostgreSQL accepts, and differ between streams', () => {
    const streams = Array.from({ length: 1000 }, (_, index) => (index % 2 ? v7() : v5(`${index}`, v5.URL)));
    const locks = streams.map(streamLock);
    for (const lock of locks) expect(BigInt.asIntN(64, lock)).toBe(lock);
    expect(new Set(locks).size).toBe(streams.length);
  });

  it('keep names apart that only look alike when joined', () => {
    expect(nameLock('key', 1, 'a', 'bc')).not.toBe(nameLock('key', 1, 'ab', 'c'));
    expect(nameLock('counter', 1, 'n')).not.toBe(nameLock('counter', 2, 'n'));
  });

  it('are exclusive for what is written, and shared for what is relied on', () => {
    const [written, relied, target, free] = [v7(), v7(), v7(), v7()];
    const locks = locksOf(
      job({
        streams: [write(written)],
        guards: [{ stream: relied, version: 3 }],
        sections: {
          links: [{ target, kind: 'x', source: written }],
          unlinked: [{ target: free, kind: null }],
          keys: [{ kind: 'code', key: 'A', stream: written }],
          unkeys: [{ kind: 'code', key: 'B', stream: written }],
          counters: [{ name: 'n', expected: 0, value: 1 }],
          repeats: [{ integration: 'i', key: 'k', hash: '', streams: [], outcome: null }],
        },
      }),
    );
    expect(new Set(locks.exclusive)).toEqual(
      new Set([
        streamLock(written),
        streamLock(free),
        nameLock('key', 1, 'code', 'A'),
        nameLock('key', 1, 'code', 'B'),
        nameLock('counter', 1, 'n'),
        nameLock('repeat', 1, 'i', 'k'),
      ]),
    );
    expect(new Set(locks.shared)).toEqual(new Set([streamLock(relied), streamLock(target)]));
  });

  it('are not shared for what is already claimed exclusively', () => {
    const stream = v7();
    const locks = locksOf(
      job({ streams: [write(stream)], sections: { links: [{ target: stream, kind: 'x', source: stream }] } }),
    );
    expect(locks.shared).toEqual([]);
  });
});
