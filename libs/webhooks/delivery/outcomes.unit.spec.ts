import { Logger } from '@nestjs/common';
import { SystemClock } from '#kernel/clock';
import { waitFor } from '../../../test/support/wait-for';
import { DeliveryState } from '../queue/delivery';
import type { Item } from './lanes/lane';
import type { LaneLeases } from './lanes/lane-leases';
import { type Finished, Outcomes } from './outcomes';
import type { QueuePools } from './queue-pools';

/** The longest answer that is kept. */
const LONG = 'x'.repeat(20 * 1024);

function finished(response: string): Finished {
  const item = { delivery: { tenant_id: 1, webhook_id: 'w', event_id: 'e' }, lane: { isChanged: false } };
  const { Delivered } = DeliveryState;
  const at = new Date();
  return {
    item: item as Item,
    url: '',
    registeredAt: at,
    at,
    milliseconds: 1,
    response,
    state: Delivered,
    failures: 0,
  };
}

/** Results of which none is written until `resume`, as while the database restarts. */
function held() {
  let resume = () => {};
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const written: string[] = [];
  const queue = {
    async query(_: string, [rows]: [string]) {
      await resumed;
      written.push(rows);
    },
  };
  const pools = { queue } as unknown as QueuePools;
  return { outcomes: new Outcomes(pools, {} as LaneLeases, new SystemClock()), resume, written };
}

it.each([
  ['long', LONG, 500],
  ['short', 'ok', 2_000],
])('no more deliveries begin when too many results with %s answers are unwritten', (_, response, most) => {
  const { outcomes, resume } = held();
  let count = 0;
  for (; !outcomes.isFull && count < 5_000; count++) outcomes.add(finished(response), () => undefined);
  resume();
  expect(count).toBeLessThanOrEqual(most);
  expect(count).toBeGreaterThan(most / 2);
});

it('results that have gathered are written by statements of limited length', async () => {
  const { outcomes, resume, written } = held();
  let count = 0;
  for (; count < 1_000; count++) outcomes.add(finished(LONG), (all) => (count -= all.length));
  resume();
  await waitFor(() => count === 0, { description: 'all results to be written' });
  expect(Math.max(...written.map(({ length }) => length))).toBeLessThan(4_000_000);
  expect(written.flatMap((rows) => JSON.parse(rows))).toHaveLength(1_000);
});

it('results that are not written because the database is away are told in a warning', async () => {
  const [errors, warnings] = (['error', 'warn'] as const).map((level) =>
    jest.spyOn(Logger.prototype, level).mockImplementation(),
  );
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const queue = { query: jest.fn().mockRejectedValueOnce(refused) };
  const pools = { queue } as unknown as QueuePools;
  const outcomes = new Outcomes(pools, {} as LaneLeases, new SystemClock());
  let count = 1;
  outcomes.add(finished('ok'), (all) => (count -= all.length));
  await waitFor(() => count === 0, { description: 'the result to be written' });
  const msg = 'Results of deliveries are not written yet: connect ECONNREFUSED';
  expect(warnings.mock.calls).toEqual([[{ msg, deliveries: 1 }]]);
  expect(errors).not.toHaveBeenCalled();
  jest.restoreAllMocks();
});
