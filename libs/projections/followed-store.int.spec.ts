import { Logger } from '@nestjs/common';
import { waitFor } from '../../test/support/wait-for';
import { FollowedStore } from './followed-store';
import { Divisions } from './testing/divisions';

describe('the store that read models follow', () => {
  let divisions: Divisions;
  let followed: FollowedStore;
  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    divisions = await Divisions.open(3);
    followed = new FollowedStore(divisions.store.reads, divisions.store.writes);
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  const shown = async () => (await divisions.rows('select from read_model.divisions')).length;

  it('is theirs at the start, behind it, and at its end', async () => {
    await followed.onModuleInit();
    await divisions.createMany(0, 6);
    await followed.onModuleInit();
    divisions.parts().runner.start();
    await waitFor(async () => (await shown()) === 6, { description: 'all rows' });
    await followed.onModuleInit();
  });

  it('is refused when it was restored to an earlier state, until the read models were built again', async () => {
    await divisions.createMany(0, 6);
    const { runner, rebuild } = divisions.parts();
    runner.start();
    await waitFor(async () => (await shown()) === 6, { description: 'all rows' });
    await divisions.store.writes.pool.query(
      'delete from event_store.events where position = (select max(position) from event_store.events)',
    );
    await expect(followed.onModuleInit()).rejects.toMatchObject({
      code: 'read_models_of_another_store',
      message: expect.stringMatching(
        /come to 1\.\d+\.\d+ in partition \d+, .*: cli projections rebuild --all/,
      ),
    });
    for (const name of rebuild.names) await rebuild.rebuild(name);
    await followed.onModuleInit();
    expect(await shown()).toBe(5);
  });
});
