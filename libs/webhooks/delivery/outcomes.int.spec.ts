import { randomUUID } from 'node:crypto';
import { SystemClock } from '#kernel/clock';
import type { RequestContext } from '#platform/request-context';
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
