import { DEAD, DeliveryScene, HOUR, MINUTE } from '../testing/delivery-scene';

const STEPS = [
  5,
  10,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

let scene: DeliveryScene;

beforeAll(async () => {
  scene = await DeliveryScene.open();
});
beforeEach(() => scene.begin());
afterAll(() => scene.close());

it('tries a delivery eleven times at its steps, then gives it up', async () => {
  const webhook = await scene.hooks.hook(scene.context, { url: DEAD });
  await scene.hooks.event(scene.context);
  for (const [index, step] of STEPS.entries()) {
    const { state, failures, due_at, status, error } = await scene.attempted(webhook, index + 1);
    expect({ state, failures, status, error }).toEqual({
      state: 0,
      failures: index + 1,
      status: 500,
      error: 'status',
    });
    expect((due_at.getTime() - scene.clock.now().getTime()) / 1000).toBe(step);
    scene.pass(step - 1);
    expect(scene.sentTo(DEAD)).toHaveLength(index + 1);
    scene.pass(1);
  }
  expect(await scene.attempted(webhook, 11)).toMatchObject({ state: 2, failures: 11 });
  scene.pass(48 * HOUR);
  const sent = scene.sentTo(DEAD);
  expect(sent).toHaveLength(11);
  expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(sent.map(({ body }) => body.requestId)).size).toBe(1);
  expect(new Set(sent.map(({ headers }) => headers['X-PE2-TIMESTAMP'])).size).toBe(11);
});

it('waits as a receiver asks, up to twice the step', async () => {
  const webhook = await scene.hooks.hook(scene.context, { url: DEAD });
  scene.answer = { status: 429, retryAfter: '8' };
  await scene.hooks.event(scene.context);
  const wait = async (count: number) =>
    ((await scene.attempted(webhook, count)).due_at.getTime() - scene.clock.now().getTime()) / 1000;
  expect(await wait(1)).toBe(8);
  scene.answer = { status: 503, retryAfter: '3600' };
  scene.pass(8);
  expect(await wait(2)).toBe(20);
  scene.answer = { status: 200 };
  scene.pass(20);
  expect(await scene.attempted(webhook, 3)).toMatchObject({ state: 1, error: null });
});
