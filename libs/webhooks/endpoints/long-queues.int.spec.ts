import { waitFor } from '../../../test/support/wait-for';
import { DeliveryState } from '../queue/delivery';
import { ChangingWebhook, OLD } from '../testing/changing-webhook';
import { lockWebhooks } from './endpoints';

/** More than one statement ends when a webhook is disabled. */
const MANY = 6_000;
let scene: ChangingWebhook;

beforeAll(async () => {
  scene = await ChangingWebhook.open();
});
afterAll(() => scene.hooks.close());

beforeEach(async () => {
  await scene.renew();
  await scene.register(OLD);
  await scene.pause(true);
  await scene.hooks.sql(
    `insert into webhooks.deliveries (tenant_id, webhook_id, event_id, type, sent_as, kind, subject, version, changed,
       source, occurred_at, due_at, created_at, state)
     select $1, $2, uuidv7(), 'division.created', 'division.created', 'division', gen_random_uuid(), 1, '[]', 'rest', now(),
       now(), now(), 0 from generate_series(1, $3::int)`,
    [scene.context.tenant.id, scene.webhook, MANY],
  );
});

/** The webhook's deliveries by their state, and how many of them the last request to the webhook changed itself. */
async function counts() {
  const [row] = await scene.hooks.sql(
    `select count(*) filter (where d.state = ${DeliveryState.Pending})::int as waiting,
       count(*) filter (where d.state = ${DeliveryState.Failed})::int as failed,
       count(*) filter (where d.xmin = e.xmin)::int as by_request
     from webhooks.endpoints e
     left join webhooks.deliveries d on (d.tenant_id, d.webhook_id) = (e.tenant_id, e.id) where e.id = $1`,
    [scene.webhook],
  );
  return row;
}

it.each([
  ['PATCH', () => scene.patch({ enabled: true })],
  ['resume', () => scene.pause(false)],
  ['PUT', () => scene.register(OLD)],
])(
  '%s enables a webhook in a transaction that need not fail the many deliveries that waited',
  async (_, enable) => {
    await scene.patch({ enabled: false });
    expect(await counts()).toEqual({ waiting: 1_000, failed: 5_000, by_request: 5_000 });
    await enable();
    expect(await counts()).toEqual({ waiting: 0, failed: MANY, by_request: 0 });
  },
);

it('PUT registers a removed webhook after it has dropped the many deliveries that waited', async () => {
  const { writes } = scene.hooks.store;
  await scene.remove();
  let again: Promise<void> | undefined;
  await writes.transaction(async (client) => {
    await lockWebhooks({ client, now: new Date() }, scene.context);
    again = scene.register(OLD);
    const isWaiting = `select from pg_locks where not granted and locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`;
    await waitFor(async () => (await scene.hooks.sql(isWaiting)).length > 0, {
      description: 'the registration to wait for its turn',
    });
    expect(await scene.deliveries()).toHaveLength(0);
  });
  await again;
});
