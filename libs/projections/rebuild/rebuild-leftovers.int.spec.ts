import { Logger } from '@nestjs/common';
import type { RecordedEvent } from '#event-store/events';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { waitedBriefly } from '../../../test/support/brief-waits';
import { waitFor } from '../../../test/support/wait-for';
import type { Projection } from '../projection';
import { checked } from '../testing/checked';
import { Divisions } from '../testing/divisions';
import { expectExact } from '../testing/expect-exact';

/** A projection that cannot fold one version of the streams. */
const poisoned = (version: number): Projection => ({
  ...divisionsProjection,
  version: 2,
  ofStream: checked(divisionsProjection, (recorded) => {
    if (recorded.version === version) throw new Error('cannot fold this');
  }),
});

describe('what a rebuild leaves behind', () => {
  let divisions: Divisions;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    divisions = await Divisions.open();
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  /** All metadata of the read model's generations. */
  const known = async () => {
    const rows = await divisions.rows<{ what: string }>(
      `select 'built ' || generation as what from read_model.generations where projection = 'divisions'
       union select 'checkpoint ' || generation from read_model.checkpoints where projection = 'divisions'
       union select 'table ' || substring(relname from '\\d+$') from pg_class where relname ~ '^divisions_g\\d+$'
       union select 'live ' || generation from read_model.live where projection = 'divisions' order by 1`,
    );
    return rows.map(({ what }) => what);
  };
  const allOf = (generation: number) =>
    ['built', 'checkpoint', 'live', 'table'].map((what) => `${what} ${generation}`);
  /** Stops a rebuild when its tables are filled, as the end of its process would. */
  async function stopFilled(): Promise<void> {
    const stopping = new AbortController();
    const stopped = divisions.parts().rebuild.rebuild('divisions', {
      signal: stopping.signal,
      progress: ({ phase }) => phase === 'indexing' && stopping.abort(new Error('the process ends')),
    });
    // The signal takes effect when the next phase begins.
    await expect(stopped).rejects.toThrow('the process ends');
  }

  it('is no session to the store, even when there was no room for all that it needs', async () => {
    const { writes } = divisions.store;
    const open = writes.session.bind(writes);
    jest
      .spyOn(writes, 'session')
      .mockImplementationOnce(open)
      .mockRejectedValueOnce(new Error('timeout expired'));
    await divisions.append(1);
    await divisions.parts().rebuild.rebuild('divisions', { progress: () => undefined });
    const sessions = () =>
      divisions.rows(
        `select from pg_stat_activity
         where datname = current_database() and application_name = 'practice-management-write-session'`,
      );
    await waitFor(async () => (await sessions()).length === 0, { description: 'all sessions to end' });
  });

  it('is continued from the beginning of the phase in which it stopped', async () => {
    await divisions.append(20);
    await stopFilled();
    const { rebuild } = divisions.parts();
    const phases: string[] = [];
    await rebuild.rebuild('divisions', { progress: ({ phase }) => phases.push(phase) });
    expect(phases).toEqual(['indexing', 'catching up']);
    expect(await divisions.shown('divisions')).toHaveLength(60);
    expect(await known()).toEqual(allOf(2));
  });

  it('is continued once a dump has released its tables, with brief waits that hold up nobody', async () => {
    await divisions.append(20);
    await stopFilled();
    const dump = await divisions.store.reads.session();
    await dump.query('begin');
    for (const { name } of await divisions.rows<{ name: string }>(
      `select relname as name from pg_class where relname ~ '^divisions_g' and relkind = 'r'`,
    ))
      await dump.query(`lock table read_model.${name} in access share mode`);
    const rebuilt = divisions.parts().rebuild.rebuild('divisions');
    await waitedBriefly(divisions.store.reads.pool);
    await dump.query('commit');
    await dump.end();
    await rebuilt;
    expect(await known()).toEqual(allOf(2));
  });

  it('is nothing once it was discarded', async () => {
    await divisions.append(20);
    const { rebuild } = divisions.parts();
    await rebuild.rebuild('divisions');
    await stopFilled();
    expect(await known()).toHaveLength(7);
    await rebuild.discard('divisions');
    expect(await known()).toEqual(allOf(2));
    await rebuild.discard('divisions');
    expect(await rebuild.resume('divisions')).toBeUndefined();
    await expect(rebuild.discard('nothing')).rejects.toMatchObject({ code: 'unknown_projection' });
  });

  it('cannot be discarded while another process continues it', async () => {
    const holder = await divisions.store.reads.session();
    await holder.query(`begin; select from read_model.live where projection = 'divisions' for update`);
    const { rebuild } = divisions.parts();
    let catchingUp = false;
    const running = rebuild.rebuild('divisions', {
      progress: ({ phase }) => {
        catchingUp = phase === 'catching up';
      },
    });
    await waitFor(() => catchingUp, { description: 'the rebuild to catch up' });
    await expect(rebuild.discard('divisions')).rejects.toMatchObject({ code: 'rebuild_running' });
    await holder.end();
    expect(await running).toMatchObject({ generation: 2 });
  });

  it.each([
    ['its table', ['drop table read_model.divisions_g3']],
    ['nothing', []],
    [
      'its table and checkpoints',
      ['drop table read_model.divisions_g3', 'delete from read_model.checkpoints where generation = 3'],
    ],
  ])('is swept when a discard was interrupted that had dropped %s', async (_, dropped) => {
    await divisions.append(20);
    const { rebuild } = divisions.parts();
    await rebuild.rebuild('divisions');
    await stopFilled();
    await divisions.rows(
      `update read_model.generations set version = 0 where projection = 'divisions' and generation = 3`,
    );
    for (const statement of dropped) await divisions.rows(statement);
    expect(await rebuild.resume('divisions')).toBeUndefined();
    expect(await known()).toEqual(allOf(2));
  });

  it('is swept when the rebuild was stopped after it went live, before it could drop the old generation', async () => {
    await divisions.append(20);
    const { rebuild } = divisions.parts();
    const reader = await divisions.store.reads.session();
    await reader.query('begin; select count(*) from read_model.divisions');
    const stopping = new AbortController();
    const rebuilding = rebuild.rebuild('divisions', { signal: stopping.signal });
    const waiting = `select pid from pg_stat_activity where datname = current_database() and query like '%detach partition%' and wait_event_type = 'Lock'`;
    await waitFor(async () => (await divisions.rows(waiting)).length > 0, {
      description: 'the drop to wait',
    });
    expect(await divisions.shown('divisions')).toHaveLength(60);
    stopping.abort(new Error('the process ends'));
    await divisions.rows(`select pg_terminate_backend(pid) from (${waiting}) as w`);
    expect(await rebuilding).toMatchObject({ generation: 2, events: 120 });
    expect(await known()).toContain('table 1');
    await reader.end();
    await divisions.append(5);
    expect(await rebuild.resume('divisions')).toBeUndefined();
    expect(await known()).toEqual(allOf(2));
  });

  it.each([1, 2])(
    'is nothing when version %i of a stream cannot be folded, and the error names that event',
    async (version) => {
      await divisions.append(20);
      const { rebuild } = divisions.parts([poisoned(version)]);
      const failure = await rebuild.rebuild('divisions').catch((error: Error) => error);
      const { recorded } = failure as Error & { recorded: RecordedEvent };
      expect(recorded.version).toBe(version);
      expect((failure as Error).message).toContain(
        `cannot apply event ${recorded.eventId} (${recorded.event.type}, version ${version} of stream ${recorded.streamId}`,
      );
      await expect(rebuild.resume('divisions')).rejects.toThrow('cannot fold this');
      expect(await known()).toEqual(allOf(1).filter((what) => what !== 'checkpoint 1'));
    },
  );

  it('is nothing when the feed brings an event that cannot be applied', async () => {
    const { runner } = divisions.parts();
    runner.start();
    await divisions.createMany(0, 6);
    await expectExact(divisions.store);
    const failing: Projection = {
      ...divisionsProjection,
      async apply() {
        throw new Error('cannot apply this');
      },
    };
    await stopFilled();
    await divisions.create(6);
    await expectExact(divisions.store);
    const { rebuild } = divisions.parts([failing]);
    await expect(rebuild.rebuild('divisions')).rejects.toThrow(
      /cannot apply event .* \(DivisionCreated, version 1 .*cannot apply this/,
    );
    expect((await known()).filter((what) => !what.endsWith(' 1'))).toEqual([]);
    await divisions.create(7);
    await expectExact(divisions.store);
  });

  it('is nothing when a row does not fit, and the error names the stream', async () => {
    await divisions.append(3);
    await divisions.rows(`alter table read_model.divisions alter name type varchar(9)`);
    const { rebuild } = divisions.parts();
    await divisions.createMany(0, 1);
    const [{ stream }] = await divisions.rows<{ stream: string }>(
      `select stream_id as stream from event_store.streams order by (state->'data'->>'name') = 'Division 0' desc limit 1`,
    );
    await expect(rebuild.rebuild('divisions')).rejects.toThrow(
      `Projection divisions cannot keep stream ${stream}, tenant ${divisions.contexts[0].tenant.id}: value too long`,
    );
    expect(await known()).toEqual(['built 1', 'live 1', 'table 1']);
  });
});
