import { randomUUID } from 'node:crypto';
import { SystemClock } from '#kernel/clock';
import type { RequestContext } from '#platform/request-context';
import { waitFor } from '../../../test/support/wait-for';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';
import { WRITE } from './outcomes';

const URL = 'https://hooks.example.com/in';

let hooks: Webhooks;
let context: RequestContext;
let webhook: string;

beforeAll(async () => {
  hooks = await openWebhooks(new SystemClock());
  hooks.fanOut.start();
});
afterAll(() => hooks.close());

beforeEach(async () => {
  context = await hooks.tenant();
  webhook = await hooks.hook(context, { url: URL });
});

const key = () => ({ tenant_id: context.tenant.id, webhook_id: webhook });

it('a failure counts once when it is written again, as the answer of the database was lost', async () => {
  await hooks.event(context);
  await waitFor(async () => (await hooks.deliveries(webhook)).length === 1, { description: 'a delivery' });
  const [delivery] = await hooks.sql<{ event_id: string; was_due: string; registered_at: Date; url: string }>(
    `select d.event_id, d.due_at::text as was_due, e.created_at as registered_at, e.url
     from webhooks.deliveries d join webhooks.endpoints e on e.id = d.webhook_id where d.webhook_id = $1`,
    [webhook],
  );
  const at = new Date();
  const failed = { ...key(), ...delivery, at, milliseconds: 5, status: 500, error: 'status', state: 0 };
  const write = (failures: number, began = at) =>
    hooks.sql(WRITE, [JSON.stringify([{ ...failed, failures, at: began, due_at: at }]), '[]', randomUUID()]);
  await write(1);
  await write(1);
  expect(await hooks.deliveries(webhook)).toMatchObject([{ state: 0, attempts: 1 }]);
  await write(2, new Date(at.getTime() + 1));
  expect(await hooks.deliveries(webhook)).toMatchObject([{ state: 0, attempts: 2 }]);
});

it('warnings begin anew when a webhook fails again within the moment in which it answered', async () => {
  const worker = randomUUID();
  await hooks.sql(
    `update webhooks.lanes set warnings = 1, failing_since = now() - interval '30 hours', leased_by = $2
     where webhook_id = $1`,
    [webhook, worker],
  );
  const standing = async () => {
    const [row] = await hooks.sql<{ warnings: number; failing_since: Date; created_at: Date }>(
      `select l.warnings, l.failing_since, e.created_at from webhooks.lanes l
       join webhooks.endpoints e on e.id = l.webhook_id where e.id = $1`,
      [webhook],
    );
    return row;
  };
  const { created_at, failing_since } = await standing();
  const write = (since: Date) =>
    hooks.sql(WRITE, [
      '[]',
      JSON.stringify([{ ...key(), created_at, url: URL, failures: 1, failing_since: since }]),
      worker,
    ]);
  await write(failing_since);
  expect(await standing()).toMatchObject({ warnings: 1 });
  await write(new Date());
  expect(await standing()).toMatchObject({ warnings: 0 });
});
