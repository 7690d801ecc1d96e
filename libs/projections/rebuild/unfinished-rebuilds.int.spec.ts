import { Logger } from '@nestjs/common';
import { waitFor } from '../../../test/support/wait-for';
import { Divisions } from '../testing/divisions';
import { UnfinishedRebuilds } from './unfinished-rebuilds';

describe('an unfinished rebuild, when the process is stopped', () => {
  let divisions: Divisions;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    divisions = await Divisions.open();
    await divisions.append(20);
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  it.each([
    ['the making of a key', /^alter table .* add PRIMARY KEY/, 'select', 2],
    [
      'the drop of a table',
      /^drop table/,
      `update read_model.generations set version = 0 where projection = 'divisions' and generation = 2`,
      1,
    ],
  ])('ends %s that takes long, and is continued later', async (_, statement, before, after) => {
    const errors = jest.spyOn(Logger.prototype, 'error');
    const { rebuild } = divisions.parts();
    const dying = new AbortController();
    const progress = ({ phase }: { phase: string }) =>
      phase === 'indexing' && dying.abort(new Error('the process dies'));
    await expect(rebuild.rebuild('divisions', { signal: dying.signal, progress })).rejects.toThrow('dies');
    await divisions.rows(before);
    const holder = await divisions.store.reads.session();
    await holder.query('begin; lock table read_model.divisions_g2 in row exclusive mode');
    const waiting = () =>
      divisions.rows<{ query: string }>(
        `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );

    const unfinished = new UnfinishedRebuilds(rebuild, divisions.store.reads);
    unfinished.start();
    await waitFor(async () => statement.test((await waiting())[0]?.query), {
      description: 'the statement to wait',
    });
    await unfinished.onApplicationShutdown();
    await waitFor(async () => (await waiting()).length === 0, { description: 'the statement to end' });
    expect(errors).not.toHaveBeenCalled();
    await holder.end();
    await rebuild.resume('divisions');
    const left = `select generation from read_model.generations where projection = 'divisions'`;
    expect(await divisions.rows(left)).toEqual([{ generation: after }]);
  });
});
