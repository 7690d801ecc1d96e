import { Logger } from '@nestjs/common';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { waitFor } from '../../../test/support/wait-for';
import { CheckpointMoved } from '../checkpoints';
import type { Projection } from '../projection';
import { Divisions } from '../testing/divisions';
import { expectExact } from '../testing/expect-exact';
import { SeparateTenants } from '../testing/separate-tenants';
import { NotFilled } from './live-fill';

describe('a tenant with a generation of its own that cannot be brought back yet', () => {
  let divisions: Divisions;
  let tenants: SeparateTenants;
  let parts: SeparateTenants['parts'];

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    jest.spyOn(Logger.prototype, 'error').mockImplementation();
    // All tenants in one partition.
    divisions = await Divisions.open(3, 5);
    tenants = new SeparateTenants(divisions);
    parts = tenants.parts;
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  it('is not brought back before the others are as far as it is', async () => {
    parts.runner.start();
    await divisions.createMany(0, 6);
    await expectExact(divisions.store);
    await tenants.separate();
    await parts.runner.stop();
    const holder = await divisions.store.reads.session();
    await holder.query(
      `begin; select from read_model.live where projection = 'tally' and tenant_id = 0 for update`,
    );
    let isBack = false;
    const back = tenants
      .tenant()
      .then((one) => parts.returning.bringBack(one))
      .then(() => {
        isBack = true;
      });
    const waiting = () =>
      divisions.rows(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
    await waitFor(async () => (await waiting()).length > 0, { description: 'the counts to be joined' });
    await divisions.create(3);
    // As a projector moves the tenant's track past an event of another tenant, before it moves the others' track.
    await holder.query(
      `update read_model.checkpoints c set transaction_id = e.transaction_id, position = e.position
       from (select * from event_store.events order by position desc limit 1) e
       where c.tenant_id = $1 and c.generation = 2 and c.projection = 'tally'`,
      [tenants.idOf(1)],
    );
    await holder.query('commit');
    await waitFor(async () => (await waiting()).length === 0, { description: 'the first attempt' });
    await holder.query('begin; select from read_model.live for update');
    expect([await tenants.serving(), isBack]).toEqual([[1, 2], false]);
    await holder.end();
    parts.runner.start();
    await back;
    expect(await tenants.serving()).toEqual([1, 1]);
    await expectExact(divisions.store);
  });

  it('is left alone once it is held for a promotion, or parked', async () => {
    parts.runner.start();
    await divisions.createMany(0, 6);
    await expectExact(divisions.store);
    await tenants.separate();
    const other = divisions.parts();
    const { id, partition } = await tenants.tenant();
    const holder = await divisions.store.reads.session();
    // Joining waits for this lock, and finds the hold behind it.
    await holder.query(`begin; select from read_model.live where projection = 'divisions' and tenant_id = 0 for update;
      insert into read_model.held (projection, tenant_id, is_new) values ('divisions', ${id}, false);
      update read_model.live set revision = revision + 1 where projection = 'divisions' and tenant_id = 0`);
    const back = other.returning.bringBack(await tenants.tenant()).catch((error: Error) => error);
    await waitFor(async () => (await tenants.filled()).includes(1), { description: 'the rows' });
    await waitFor(
      async () =>
        (
          await divisions.rows(
            `select from read_model.checkpoints where tenant_id = $1 and generation = 1 and partition = $2`,
            [id, partition],
          )
        ).length === 2,
      { description: 'the checkpoints' },
    );
    await holder.query('commit');
    await holder.end();
    expect(await back).toBeInstanceOf(CheckpointMoved);
    expect(await tenants.serving()).toEqual([2, 2]);
    await divisions.rows(`delete from read_model.held where tenant_id = $1`, [id]);
    await divisions.rows(
      `insert into read_model.parked (projection, tenant_id, event_id, event_type, error)
       values ('divisions', $1, gen_random_uuid(), 'DivisionCreated', 'cannot')`,
      [id],
    );
    expect(await parts.returning.bringBack(await tenants.tenant())).toEqual(['tally']);
    expect(await tenants.serving()).toEqual([2, 1]);
  });

  it('keeps its generation when its rows cannot be made anew', async () => {
    parts.runner.start();
    await divisions.createMany(0, 6);
    await expectExact(divisions.store);
    await tenants.separate();
    const refuses = () => {
      throw new Error('cannot apply this');
    };
    const refusing: Projection = { ...divisionsProjection, ofStream: refuses };
    const { returning } = divisions.parts([refusing, divisions.tally]);
    await expect(returning.bringBack(await tenants.tenant())).rejects.toBeInstanceOf(NotFilled);
    expect([await tenants.serving(), await tenants.filled()]).toEqual([[2, 2], [2]]);
  });

  it('is left alone while the read model is being rebuilt, or by a program of another version', async () => {
    parts.runner.start();
    await divisions.createMany(0, 6);
    await tenants.separate();
    const session = await divisions.store.reads.session();
    await session.query(`select pg_advisory_lock(hashtextextended('rebuild divisions', 0))`);
    expect(await parts.returning.bringBack(await tenants.tenant())).toEqual(['tally']);
    await session.end();
    const older = divisions.parts([{ ...divisionsProjection, version: divisionsProjection.version + 1 }]);
    expect(await older.returning.away()).toEqual([]);
    expect(await parts.returning.away()).toEqual([tenants.idOf(1)]);
  });
});
