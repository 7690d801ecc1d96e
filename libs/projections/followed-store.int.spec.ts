import { Logger } from '@nestjs/common';
import { waitFor } from '../../test/support/wait-for';
import { FollowedStore } from './followed-store';
import { Divisions } from './testing/divisions';
import { runnerByHand } from './testing/parts';

describe('the store that read models follow', () => {
  let divisions: Divisions;
  let followed: FollowedStore;
  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    divisions = await Divisions.open(3);
    followed = new FollowedStore(divisions.store.reads, divisions.store.feed);
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  const shown = async () => (await divisions.rows('select from read_model.divisions')).length;

  it('is accepted when they are empty, behind it, and up to date', async () => {
    await followed.verify();
    await divisions.createMany(0, 6);
    await followed.verify();
    divisions.parts().runner.start();
    await waitFor(async () => (await shown()) === 6, { description: 'all rows to be shown' });
    await followed.verify();
  });

  it('is refused when it was restored to an earlier state, until the read models are built again', async () => {
    await divisions.createMany(0, 6);
    const { runner, rebuild } = divisions.parts();
    runner.start();
    await waitFor(async () => (await shown()) === 6, { description: 'all rows to be shown' });
    await divisions.store.writes.pool.query(
      'delete from event_store.events where position = (select max(position) from event_store.events)',
    );
    await expect(followed.verify()).rejects.toMatchObject({
      code: 'read_models_of_another_store',
      message: expect.stringMatching(
        /come to 1\.\d+\.\d+ in partition \d+, .*: cli projections rebuild --all/,
      ),
    });
    // A runner that was already running when its store was replaced applies nothing either.
    const running = runnerByHand(divisions.store, divisions.projections);
    const partitions = await divisions.store.feed.partitions();
    await expect(running.cursors(partitions)).rejects.toMatchObject({ code: 'read_models_of_another_store' });
    for (const name of rebuild.names) await rebuild.rebuild(name);
    await followed.verify();
    expect(await running.cursors(partitions)).toHaveLength(partitions.length);
    expect(await shown()).toBe(5);
  });
});
