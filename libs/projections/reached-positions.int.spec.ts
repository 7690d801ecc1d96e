import { Logger } from '@nestjs/common';
import { newId } from '#kernel/ids';
import { Division } from '#practice/divisions/division';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { waitFor } from '../../test/support/wait-for';
import type { Projection } from './projection';
import { Projections } from './projections';
import { ReachedPositions } from './reached-positions';
import { Divisions } from './testing/divisions';

describe('whoever follows a position', () => {
  let divisions: Divisions;
  let reached: ReachedPositions;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    jest.spyOn(Logger.prototype, 'error').mockImplementation();
    divisions = await Divisions.open(1);
    reached = new ReachedPositions(divisions.store.reads, new Projections(divisions.projections));
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  /** The position of the last event of a new division. */
  async function written() {
    const [context] = divisions.contexts;
    const data = { code: null, name: 'One', isDefault: false, externalReference: null, referenceOwner: null };
    const { position } = await divisions.store.store.execute(context, async (work) =>
      work.create(Division, newId('division'), [{ type: 'DivisionCreated', data }]),
    );
    return { tenant: context.tenant, position: position! };
  }

  it('waits until every read model has come to it', async () => {
    const { tenant, position } = await written();
    const following = reached.follow(tenant, position, new AbortController().signal);
    divisions.parts().runner.start();
    await following;
    const rows = await divisions.rows('select name from read_model.divisions where tenant_id = $1', [
      tenant.id,
    ]);
    expect(rows).toEqual([{ name: 'One' }]);
  });

  it('waits no longer than usual when the clock is set back meanwhile', async () => {
    const { tenant, position } = await written();
    const reaching = reached.reach(tenant, position, 'this', 100);
    const now = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
    await expect(reaching).rejects.toMatchObject({ code: 'position_not_reached' });
  });

  it('looks less and less often, so that many who wait do not keep the database from the projector', async () => {
    const { tenant, position } = await written();
    const queries = jest.spyOn(divisions.store.reads.pool, 'query');
    await expect(reached.reach(tenant, position, 'this', 1_000)).rejects.toThrow('not come as far as this');
    expect(queries.mock.calls.length).toBeLessThan(50);
  });

  it('stops with the reason of the signal', async () => {
    const { tenant, position } = await written();
    const cancelled = new AbortController();
    const following = reached.follow(tenant, position, cancelled.signal);
    const reason = new Error('The import was cancelled');
    cancelled.abort(reason);
    await expect(following).rejects.toBe(reason);
  });

  it('is told that a read model no longer follows the tenant', async () => {
    const { tenant, position } = await written();
    const refusing: Projection = {
      ...divisionsProjection,
      apply: () => Promise.reject(new Error('cannot apply this')),
    };
    divisions.parts([refusing, divisions.tally]).runner.start();
    await waitFor(async () => (await divisions.rows('select from read_model.parked')).length > 0, {
      description: 'the tenant to be parked',
    });
    await expect(reached.follow(tenant, position, new AbortController().signal)).rejects.toMatchObject({
      code: 'read_model_parked',
    });
    const begunAt = performance.now();
    await expect(reached.reach(tenant, position, 'this', 60_000)).rejects.toMatchObject({
      code: 'position_not_reached',
      headers: { 'Retry-After': '30' },
    });
    expect(performance.now() - begunAt).toBeLessThan(30_000);
  });

  it('goes on waiting while the tenant is parked where it has reached the position', async () => {
    const { tenant, position } = await written();
    divisions.parts([divisionsProjection]).runner.start();
    await waitFor(async () => (await divisions.rows('select from read_model.divisions')).length > 0, {
      description: 'one read model to have the event',
    });
    await divisions.rows(
      `with own as (
         insert into read_model.checkpoints (projection, generation, tenant_id, partition, epoch, transaction_id, position)
         select projection, generation, $1, partition, epoch, transaction_id, position from read_model.checkpoints
         where projection = 'divisions' and partition = $2 and tenant_id = 0
       )
       insert into read_model.parked (projection, tenant_id, event_id, event_type, error)
       values ('divisions', $1, gen_random_uuid(), 'DivisionCreated', 'cannot')`,
      [tenant.id, tenant.partition],
    );
    const reaching = reached.reach(tenant, position, 'this', 60_000);
    await divisions.rows(
      `insert into read_model.checkpoints (projection, generation, tenant_id, partition, epoch, transaction_id, position)
       select 'tally', generation, 0, partition, epoch, transaction_id, position from read_model.checkpoints
       where projection = 'divisions' and partition = $1 and tenant_id = 0`,
      [tenant.partition],
    );
    await expect(reaching).resolves.toBeUndefined();
  });
});
