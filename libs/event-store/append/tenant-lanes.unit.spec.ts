import { setImmediate as nextTurn } from 'node:timers/promises';
import { DomainError } from '#kernel/errors';
import { TenantLanes } from './tenant-lanes';

interface Job {
  tenantId: number;
  name: string;
}
const NOTHING = { exclusive: [], shared: [] };
const REFUSAL = new DomainError('unavailable', 'store_unavailable', 'Busy.');

/** Lanes whose batches stay in flight until they are answered. */
function gated(flights: number, patienceMs = 60_000) {
  const batches: { names: string; land(): void; fail(error: Error): void }[] = [];
  const lanes = new TenantLanes<Job, string>(
    (jobs) =>
      new Promise((resolve, reject) => {
        const names = jobs.map(({ name }) => name);
        batches.push({ names: names.join(' '), land: () => resolve(names), fail: reject });
      }),
    { locks: () => NOTHING, flights, patience: { ms: patienceMs, error: REFUSAL } },
  );
  const submit = (tenantId: number, ...names: string[]) =>
    Promise.allSettled(names.map((name) => lanes.submit({ tenantId, name })));
  const names = async () => {
    await nextTurn();
    await nextTurn();
    return batches.map((batch) => batch.names);
  };
  return { submit, batches, names };
}

describe('TenantLanes', () => {
  it('send a batch for each tenant, and what comes later in the next', async () => {
    const { submit, batches, names } = gated(3);
    const first = submit(1, 'a', 'b');
    const others = submit(2, 'x');
    expect(await names()).toEqual(['a b', 'x']);
    const later = [submit(1, 'c'), submit(1, 'd')];
    expect(await names()).toEqual(['a b', 'x']);
    batches[0].land();
    expect(await first).toMatchObject([{ value: 'a' }, { value: 'b' }]);
    expect(await names()).toEqual(['a b', 'x', 'c d']);
    for (const { land } of batches) land();
    expect((await Promise.all([others, ...later])).flat()).toMatchObject(
      ['x', 'c', 'd'].map((value) => ({ value })),
    );
    void submit(1, 'e');
    expect(await names()).toEqual(['a b', 'x', 'c d', 'e']);
  });

  it('have only some batches in flight at once', async () => {
    const { submit, batches, names } = gated(2);
    for (const tenant of [1, 2, 3, 4]) void submit(tenant, `${tenant}`);
    expect(await names()).toEqual(['1', '2']);
    batches[1].land();
    expect(await names()).toEqual(['1', '2', '3']);
    batches[0].fail(new Error('failed'));
    expect(await names()).toEqual(['1', '2', '3', '4']);
  });

  it('refuse a batch that cannot start for too long, and no other', async () => {
    const { submit, batches } = gated(1, 1);
    const first = submit(1, 'a');
    expect(await submit(2, 'x', 'y')).toMatchObject([{ reason: REFUSAL }, { reason: REFUSAL }]);
    batches[0].land();
    expect(await first).toMatchObject([{ value: 'a' }]);
  });

  it('fail the jobs of one tenant only', async () => {
    const { submit, batches, names } = gated(2);
    const [failing, others] = [submit(1, 'a', 'b'), submit(2, 'x')];
    await names();
    const down = new DomainError('unavailable', 'store_unavailable', 'Down.');
    batches[0].fail(down);
    expect(await failing).toMatchObject([{ reason: down }, { reason: down }]);
    batches[1].land();
    expect(await others).toMatchObject([{ value: 'x' }]);
  });
});
