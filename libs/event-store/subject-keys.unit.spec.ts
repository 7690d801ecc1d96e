import { randomBytes } from 'node:crypto';
import { Secrets } from '#platform/secrets';
import { SubjectKeys } from './subject-keys';

describe("the keys of people's data", () => {
  let now = 1_000;
  beforeEach(() => {
    // The cache has kept a reference to the real `performance`.
    jest.useFakeTimers({ doNotFake: ['performance'] });
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  function pass(milliseconds: number): void {
    now += milliseconds;
    jest.advanceTimersByTime(milliseconds);
  }

  const subjectKeys = () => new SubjectKeys(new Secrets(randomBytes(32)));

  it('seal data for one stream only', () => {
    const keys = subjectKeys();
    const { key } = keys.create();
    const sealed = keys.seal(key, 'stream', { name: 'Ada' });
    expect(keys.open(key, 'stream', sealed)).toEqual({ name: 'Ada' });
    expect(() => keys.open(key, 'other', sealed)).toThrow('unable to authenticate');
  });

  it('are unwrapped once, and wiped from memory within 5 s even when nobody asks again', () => {
    const keys = subjectKeys();
    const { key, wrapped } = keys.create();
    const unwrapped = keys.unwrap(wrapped);
    expect(unwrapped).toEqual(key);
    pass(3_000);
    expect(keys.unwrap(Buffer.from(wrapped))).toBe(unwrapped);
    pass(2_000);
    expect(unwrapped).toEqual(Buffer.alloc(32));
    expect(keys.unwrap(wrapped)).toEqual(key);
  });
});
