import { Logger } from '@nestjs/common';
import { type Gauge, register } from 'prom-client';
import { Projections } from '../projections';
import { Divisions } from '../testing/divisions';
import { RebuildMetrics } from './rebuild-metrics';

describe('rebuilds on /metrics', () => {
  let divisions: Divisions;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    divisions = await Divisions.open();
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  /** Each gauge's value, by read model. */
  async function shown(): Promise<Record<string, Record<string, number>>> {
    const names = ['projection_rebuilds_unfinished', 'projection_rebuild_events'];
    const gauges = names.map(async (name) => {
      const { values } = await (register.getSingleMetric(name) as Gauge).get();
      return [name, Object.fromEntries(values.map(({ labels, value }) => [labels.projection, value]))];
    });
    return Object.fromEntries(await Promise.all(gauges));
  }

  it('count from their beginning to their end, with the events so far, whichever process runs them', async () => {
    await divisions.append(20);
    const { rebuild } = divisions.parts();
    new RebuildMetrics(new Projections(divisions.projections), divisions.store.reads).onModuleInit();
    const none = { divisions: 0, tally: 0 };
    expect(await shown()).toEqual({ projection_rebuilds_unfinished: none, projection_rebuild_events: none });

    const stopping = new AbortController();
    const stopped = rebuild.rebuild('divisions', {
      signal: stopping.signal,
      progress: ({ phase }) => phase === 'indexing' && stopping.abort(new Error('the process ends')),
    });
    await expect(stopped).rejects.toThrow('the process ends');
    expect(await shown()).toEqual({
      projection_rebuilds_unfinished: { divisions: 1, tally: 0 },
      projection_rebuild_events: { divisions: 120, tally: 0 },
    });

    await rebuild.rebuild('divisions');
    expect(await shown()).toEqual({ projection_rebuilds_unfinished: none, projection_rebuild_events: none });
  });
});
