import type { RecordedEvent } from '../events';
import { Contiguity, FeedOutOfOrder } from './contiguity';

const event = (streamId: string, version: number, tenantId = 1) =>
  ({
    tenantId,
    streamId,
    version,
    at: { epoch: 1, transactionId: 7n, position: BigInt(version) },
  }) as RecordedEvent;

describe('Contiguity', () => {
  it('accepts streams whose versions come one after another, in one batch or in several', () => {
    const contiguity = new Contiguity();
    contiguity.check([event('a', 1), event('b', 1), event('a', 2)]);
    contiguity.check([event('a', 3), event('b', 2)]);
  });

  it('accepts a stream from wherever reading began', () => {
    const contiguity = new Contiguity();
    contiguity.check([event('a', 7), event('a', 8)]);
  });

  it.each([
    ['a version behind a later one', [1, 3, 2]],
    ['a gap', [1, 2, 4]],
    ['a version twice', [1, 2, 2]],
    ['a second first version', [1, 1]],
  ])('stops at %s', (_, versions) => {
    expect(() => new Contiguity().check(versions.map((version) => event('a', version)))).toThrow(
      FeedOutOfOrder,
    );
  });

  it('names the position, the stream and the versions', () => {
    expect(() => new Contiguity().check([event('a', 1), event('a', 3)])).toThrow(
      'The feed is out of order at 1.7.3: version 3 of stream a (tenant 1) came after version 1.',
    );
  });

  it('accepts the same events again once it was cleared', () => {
    const contiguity = new Contiguity();
    contiguity.check([event('a', 1)]);
    contiguity.clear();
    contiguity.check([event('a', 1)]);
  });
});
