import { Logger } from '@nestjs/common';
import { Ending, type Step } from './ending';

describe('the end of a process', () => {
  let ended: string[];
  let lines: jest.SpyInstance;

  beforeEach(() => {
    ended = [];
    lines = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  });
  afterEach(() => jest.restoreAllMocks());

  const step = (name: string, more: Partial<Step> = {}): Step => ({
    by: 10_000,
    end: async () => ended.push(name),
    pending: () => name,
    ...more,
  });
  const endless = () => new Promise<void>(() => undefined);
  const run = (...steps: Step[]) => {
    const ending = new Ending();
    for (const one of steps) ending.add(one);
    return ending.run();
  };

  it('undoes the last step first', async () => {
    expect(await run(step('database'), step('server'))).toBe(true);
    expect(ended).toEqual(['server', 'database']);
    expect(lines).not.toHaveBeenCalled();
  });

  it('gives up on a step that takes too long, says so in one line, and goes on', async () => {
    const abandon = () => void ended.push('abandoned');
    const server = step('server', { by: 5, end: endless, abandon });
    expect(await run(step('database'), server)).toBe(false);
    expect(ended).toEqual(['abandoned', 'database']);
    expect(lines.mock.calls).toEqual([['Stopping: gave up after 0.005 s waiting for server']]);
  });

  it('goes on after a step that fails', async () => {
    const end = () => Promise.reject(new Error('broken'));
    expect(await run(step('database'), step('server', { end }))).toBe(false);
    expect(ended).toEqual(['database']);
    expect(lines.mock.calls).toEqual([['Stopping: broken', expect.any(String)]]);
  });

  it('happens once', async () => {
    const ending = new Ending();
    ending.add(step('server'));
    await Promise.all([ending.run(), ending.run()]);
    expect(ended).toEqual(['server']);
  });
});
