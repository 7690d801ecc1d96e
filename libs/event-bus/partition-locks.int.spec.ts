import { createTestDatabase, execute, type TestDatabase } from '../../test/support/database';
import { waitFor } from '../../test/support/wait-for';
import { PartitionLocks } from './partition-locks';

const SILENCE_MS = 500;
const PARTITIONS = [0, 1, 2];

describe('the locks of partitions', () => {
  let database: TestDatabase;
  let open: PartitionLocks[];
  beforeEach(async () => {
    database = await createTestDatabase();
    open = [];
    await execute(
      database.url,
      `insert into platform.installation (region, partitions) values ('uk', ${PARTITIONS.length})`,
    );
  });
  afterEach(async () => {
    await Promise.all(open.map((locks) => locks.release()));
    await database.drop();
    jest.restoreAllMocks();
  });

  function locks(lost = jest.fn()): PartitionLocks {
    open.push(new PartitionLocks(database.url, 'someone', lost, SILENCE_MS));
    return open.at(-1)!;
  }
  const taken = async (from: PartitionLocks) => {
    await from.take();
    return from.partitions;
  };

  it('are kept by a process that asks for nothing for long', async () => {
    const lost = jest.fn();
    const [one, other] = [locks(lost), locks()];
    expect(await taken(one)).toEqual(PARTITIONS);
    const age = async () =>
      (
        await execute<{ old: boolean }>(
          database.url,
          `select max(state_change - backend_start) > interval '${2 * SILENCE_MS} ms' as old from pg_stat_activity
           where application_name like 'practice someone locks%' and datname = current_database()`,
        )
      )[0].old;
    await waitFor(age, { description: 'a sign of life after more than the limit for silence' });
    expect([one.partitions, await taken(other)]).toEqual([PARTITIONS, []]);
    expect(lost).not.toHaveBeenCalled();
  });

  it('are lost by a process that is frozen, and go to another', async () => {
    const lost = jest.fn();
    // Nothing runs in a frozen process, not even its heartbeat.
    jest.spyOn(global, 'setInterval').mockReturnValueOnce({ unref: () => undefined } as never);
    const [frozen, other] = [locks(lost), locks()];
    expect(await taken(frozen)).toEqual(PARTITIONS);
    await waitFor(async () => (await taken(other)).length > 0, { description: 'the partitions to be free' });
    expect(other.partitions).toEqual(PARTITIONS);
    await waitFor(() => lost.mock.calls.length > 0, { description: 'the loss to be noticed' });
    expect(frozen.partitions).toEqual([]);
    expect(await taken(frozen)).toEqual([]);
  });
});
