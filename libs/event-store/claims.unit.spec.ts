import { v5, v7 } from 'uuid';
import { type AppendJob, claimsOf } from './append/append-job';
import { nameClaim, streamClaim, tenantClaim } from './claims';

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

describe('claims', () => {
  it('are bigints that PostgreSQL accepts, and differ between streams', () => {
    const streams = Array.from({ length: 1000 }, (_, index) => (index % 2 ? v7() : v5(`${index}`, v5.URL)));
    const claims = streams.map(streamClaim);
    for (const claim of claims) expect(BigInt.asIntN(64, claim)).toBe(claim);
    expect(new Set(claims).size).toBe(streams.length);
  });

  it('keep names apart that only look alike when joined', () => {
    expect(nameClaim('key', 1, 'a', 'bc')).not.toBe(nameClaim('key', 1, 'ab', 'c'));
    expect(nameClaim('counter', 1, 'n')).not.toBe(nameClaim('counter', 2, 'n'));
  });

  it('are exclusive for what is written, and shared for what is relied on', () => {
    const [written, relied, target, free] = [v7(), v7(), v7(), v7()];
    const claims = claimsOf(
      job({
        streams: [write(written)],
        guards: [{ stream: relied, version: 3 }],
        sections: {
          links: [{ target, kind: 'x', source: written }],
          unlinked: [{ target: free, kind: null }],
          keys: [{ kind: 'code', key: 'A', stream: written }],
          counters: [{ name: 'n', expected: 0, value: 1 }],
        },
      }),
    );
    expect(new Set(claims.exclusive)).toEqual(
      new Set([
        streamClaim(written),
        streamClaim(free),
        nameClaim('key', 1, 'code', 'A'),
        nameClaim('counter', 1, 'n'),
      ]),
    );
    expect(new Set(claims.shared)).toEqual(
      new Set([tenantClaim(1), streamClaim(relied), streamClaim(target)]),
    );
  });

  it('are not shared for what is already claimed exclusively', () => {
    const stream = v7();
    const claims = claimsOf(
      job({ streams: [write(stream)], sections: { links: [{ target: stream, kind: 'x', source: stream }] } }),
    );
    expect(claims.shared).toEqual([tenantClaim(1)]);
  });
});
