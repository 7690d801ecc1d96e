import { waitFor } from '../../../test/support/wait-for';
import { DEAD, DeliveryScene, HOUR } from '../testing/delivery-scene';

let scene: DeliveryScene;

beforeAll(async () => {
  scene = await DeliveryScene.open();
});
beforeEach(() => scene.begin());
afterAll(() => scene.close());

it('opens the breaker after five failures in a row, then tries a single delivery', async () => {
  const webhook = await scene.hooks.hook(scene.context, { url: DEAD });
  for (let count = 0; count < 12; count++) await scene.hooks.event(scene.context, `D${count}`);
  const lane = async () =>
    (
      await scene.hooks.sql<{ failures: number; open_until: Date | null }>(
        'select failures, open_until from webhooks.lanes where webhook_id = $1',
        [webhook],
      )
    )[0];
  await waitFor(async () => (await lane()).open_until, { description: 'the breaker to open' });
  await waitFor(async () => scene.sender.underWay === 0 && (await scene.deliveries(webhook)).length === 12, {
    description: 'the attempts under way to end',
  });
  const before = scene.sentTo(DEAD).length;
  // Five begin at once, and further ones may have begun before the fifth failed.
  expect(before).toBeGreaterThanOrEqual(5);
  expect(before).toBeLessThan(10);
  scene.pass(20);
  await scene.hooks.watch.sweep();
  expect(scene.sentTo(DEAD)).toHaveLength(before);
  scene.pass(15);
  await waitFor(async () => (await lane()).failures === 6, { description: 'a probe to fail' });
  expect(scene.sentTo(DEAD)).toHaveLength(before + 1);
  scene.answer = { status: 204 };
  scene.pass(61);
  await waitFor(async () => (await scene.deliveries(webhook)).every(({ state }) => state === 1), {
    description: 'all to be delivered',
  });
  expect(await lane()).toEqual({ failures: 0, open_until: null });
});

it('does not wait for a breaker longer than it stays open, as after a clock that ran ahead', async () => {
  const webhook = await scene.hooks.hook(scene.context, { url: DEAD });
  scene.answer = { status: 200 };
  const aheadBy = (seconds: number) =>
    scene.hooks.sql(
      'update webhooks.lanes set failures = 9, failing_since = $2, open_until = $3 where webhook_id = $1',
      [webhook, scene.clock.now(), new Date(scene.clock.now().getTime() + seconds * 1000)],
    );
  await aheadBy(24 * HOUR);
  await scene.hooks.event(scene.context);
  expect(await scene.attempted(webhook, 1)).toMatchObject({ state: 1 });
});
