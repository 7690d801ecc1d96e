import timers = require('node:timers/promises');

import { Logger } from '@nestjs/common';
import { register } from 'prom-client';
import { registerGauge } from './gauge';

const NAMES = ['waiting', 'size', 'steady'];
const WHOLE = ['waiting{queue="first"} 1', 'waiting{queue="second"} 3', 'size 3', 'steady 7'];
const refused = new Error('connect ECONNREFUSED 127.0.0.1:5432');

describe('a gauge whose value cannot be calculated', () => {
  let lines: string[];
  let work: () => Promise<number>;
  let runOutOfTime: () => void;

  beforeEach(() => {
    lines = [];
    const noting = (level: string) => (line: unknown) => void lines.push(`${level}: ${line}`);
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(noting('warn'));
    jest.spyOn(Logger.prototype, 'log').mockImplementation(noting('log'));
    const timeIsUp = new Promise<void>((resolve) => (runOutOfTime = resolve));
    jest.spyOn(timers, 'setTimeout').mockReturnValue(timeIsUp);
    work = async () => 3;
    registerGauge('waiting', 'A gauge with a label.', ['queue'], async (set) => {
      set(1, 'first');
      set(await work(), 'second');
    });
    registerGauge('size', 'A gauge without a label.', [], async (set) => set(await work()));
    registerGauge('steady', 'A gauge that is always known.', [], async (set) => set(7));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    for (const name of NAMES) register.removeSingleMetric(name);
  });

  const samples = async () =>
    (await register.metrics()).split('\n').filter((line) => /^(waiting|size|steady)\b/.test(line));
  const failures = async () =>
    Promise.all(
      NAMES.map(async (name) => {
        const text = await register.getSingleMetricAsString('metric_collection_failures_total');
        return Number(new RegExp(`metric="${name}"} (\\d+)`).exec(text)?.[1]);
      }),
    );

  it('is left out, while the others are shown, until it can be calculated again', async () => {
    const before = await failures();
    expect(await samples()).toEqual(WHOLE);
    work = async () => {
      throw refused;
    };
    expect(await samples()).toEqual(['steady 7']);
    expect(await samples()).toEqual(['steady 7']);
    const [waiting, size, steady] = before;
    expect(await failures()).toEqual([waiting + 2, size + 2, steady]);
    work = async () => 3;
    expect(await samples()).toEqual(WHOLE);
    expect(lines).toEqual([
      `warn: /metrics lacks waiting, and perhaps others: ${refused.message}`,
      'log: /metrics is complete again',
    ]);
  });

  it('does not hold up the others, and does no harm when it fails later', async () => {
    let fail: (error: Error) => void = () => undefined;
    work = () => new Promise((_, reject) => (fail = reject));
    const answer = samples();
    runOutOfTime();
    expect(await answer).toEqual(['steady 7']);
    fail(refused);
    await new Promise(setImmediate);
    expect(lines).toEqual([
      'warn: /metrics lacks waiting, and perhaps others: its value was not known after 3 s',
    ]);
  });
});
