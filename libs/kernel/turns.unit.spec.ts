import { Turns } from './turns';

describe('Turns', () => {
  it('runs tasks of one name one after another, in order, failures included', async () => {
    const turns = new Turns();
    const log: string[] = [];
    const task =
      (name: string, fails = false) =>
      async () => {
        log.push(`${name} begins`);
        await Promise.resolve();
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      };
    const outcomes = await Promise.allSettled([
      turns.take('x', task('a')),
      turns.take('x', task('b', true)),
      turns.take('x', task('c')),
    ]);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(outcomes).toMatchObject([{ value: 'a' }, { reason: { message: 'b' } }, { value: 'c' }]);
  });

  it('runs tasks of different names side by side', async () => {
    const turns = new Turns();
    let release = () => {};
    const held = turns.take('x', () => new Promise<void>((resolve) => (release = resolve)));
    expect(await turns.take('y', async () => 'done')).toBe('done');
    release();
    await held;
  });
});
