import { Logger } from '@nestjs/common';
import { type Gauge, register } from 'prom-client';
import { waitFor } from '../../test/support/wait-for';
import { Divisions } from './testing/divisions';
import { expectExact } from './testing/expect-exact';

describe('how far behind the read models are', () => {
  let divisions: Divisions;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    divisions = await Divisions.open();
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  it('counts events that an open transaction hides from the feed', async () => {
    const { runner, status } = divisions.parts();
    status.onModuleInit();
    runner.start();
    await divisions.create(0);
    await expectExact(divisions.store);
    await status.settled(60_000);
    const lags = async () => (await status.list()).map(({ lag }) => lag);
    expect(await lags()).toEqual([0, 0]);

    const open = await divisions.store.writes.session();
    await open.query('begin; select pg_current_xact_id()');
    await divisions.create(1);
    const held = await lags();
    expect(Math.min(...held)).toBeGreaterThan(0);
    await open.end();
    await waitFor(async () => (await lags()).every((lag) => lag === 0), { description: 'no lag' });
    await expectExact(divisions.store);
  });

  it('is reported by projection and partition, with one question to the store', async () => {
    const { status } = divisions.parts();
    status.onModuleInit();
    await divisions.create(0);
    const { partition } = divisions.contexts[0].tenant;
    const questions = jest.spyOn(divisions.store.feed, 'oldest');
    const { values } = await (register.getSingleMetric('projection_lag_seconds') as Gauge).get();
    expect(questions).toHaveBeenCalledTimes(1);
    const partitions = Array.from({ length: 12 }, (_, number) => String(number));
    expect(values.map(({ labels }) => [labels.projection, labels.partition])).toEqual(
      ['divisions', 'tally'].flatMap((name) => partitions.map((number) => [name, number])),
    );
    const behind = values.filter(({ value }) => value > 0).map(({ labels }) => labels.partition);
    expect(behind).toEqual([String(partition), String(partition)]);
    expect(await status.list()).toMatchObject(
      ['divisions', 'tally'].map((name) => ({ name, lag: expect.any(Number) })),
    );
    expect(Math.min(...(await status.list()).map(({ lag }) => lag))).toBeGreaterThan(0);
  });

  it('is reported for the track that is furthest behind', async () => {
    const { runner, rebuild, status } = divisions.parts();
    await divisions.createMany(0, 6);
    for (const name of rebuild.names) await rebuild.rebuild(name);
    const { alias } = divisions.contexts[0].tenant;
    await rebuild.rebuild('tally', { tenant: alias });
    expect(await status.list()).toMatchObject([{ lag: 0 }, { lag: 0 }]);
    await divisions.createMany(6, 7);
    await rebuild.rebuild('tally', { tenant: alias });
    await rebuild.rebuild('divisions');
    expect(await status.list()).toMatchObject([{ lag: 0 }, { lag: expect.any(Number) }]);
    expect((await status.list())[1].lag).toBeGreaterThan(0);
    runner.start();
    await status.settled(60_000);
    await expectExact(divisions.store);
  });
});
