import { SystemClock } from '#kernel/clock';
import type { RequestContext } from '#platform/request-context';
import { waitFor } from '../../../test/support/wait-for';
import { ScriptedSender } from '../testing/scripted-sender';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';

let hooks: Webhooks;
let context: RequestContext;
let sender: ScriptedSender;

beforeEach(async () => {
  sender = new ScriptedSender(() => ({ status: 204 }));
  hooks = await openWebhooks(new SystemClock());
  hooks.fanOut.start();
  context = await hooks.tenant();
});
afterEach(() => hooks.close());

const arrive = async (urls: readonly string[], count: number) => {
  const isSent = () => urls.every((url) => sender.to(url).length >= count);
  await waitFor(isSent, { description: `${count} messages to each of ${urls.length}` });
};

it('webhooks that always have something to send do not keep another from being served', async () => {
  const busy = ['https://hooks.example.com/one', 'https://hooks.example.com/two'];
  const other = 'https://hooks.example.com/other';
  for (const url of busy) await hooks.hook(context, { url, payloadMode: 'thin' });
  // With such a lease no endpoint is idle for long enough to be released, like one that is signalled every moment.
  hooks.dispatcher(sender, { lanes: busy.length, leaseMs: 600_000 }).start();
  await hooks.event(context);
  await arrive(busy, 1);
  await hooks.hook(context, { url: other, payloadMode: 'thin' });
  await hooks.event(context);
  await arrive([other], 1);
});

it('webhooks for which there was no room come next, without waiting for the next look', async () => {
  const urls = ['a', 'b', 'c', 'd'].map((name) => `https://hooks.example.com/${name}`);
  for (const url of urls) await hooks.hook(context, { url, payloadMode: 'thin' });
  hooks.dispatcher(sender, { lanes: 1, leaseMs: 600_000, pollMs: 600_000 }).start();
  await hooks.event(context);
  await arrive(urls, 1);
});

it('webhooks whose receivers take long to answer do not hold up others', async () => {
  const slow = ['a', 'b', 'c', 'd', 'e'].map((name) => `https://hooks.example.com/slow/${name}`);
  const prompt = 'https://hooks.example.com/prompt';
  let answer: (outcome: { status: number }) => void = () => undefined;
  const late = new Promise<{ status: number }>((resolve) => {
    answer = resolve;
  });
  sender = new ScriptedSender(({ url }) => (url === prompt ? { status: 204 } : late));
  for (const url of slow) await hooks.hook(context, { url, payloadMode: 'thin' });
  hooks.dispatcher(sender, { lanes: 2, slowMs: 10, pollMs: 20, leaseMs: 600_000 }).start();
  await hooks.event(context);
  await arrive(slow, 1);
  await hooks.hook(context, { url: prompt, payloadMode: 'thin' });
  await hooks.event(context);
  await arrive([prompt], 1);
  answer({ status: 204 });
  await arrive(slow, 2);
});

it('webhooks that wait for a read model do not hold up others', async () => {
  const urls = ['https://hooks.example.com/full', 'https://hooks.example.com/too'];
  const thin = 'https://hooks.example.com/thin';
  // No read model is built in this test.
  for (const url of urls) await hooks.hook(context, { url });
  const settings = { lanes: urls.length, leaseMs: 600_000, lateMs: 10 };
  hooks.dispatcher(sender, settings).start();
  await hooks.event(context);
  const isHeld = async () => {
    const held = await hooks.sql(
      'select from webhooks.lanes where tenant_id = $1 and leased_by is not null',
      [context.tenant.id],
    );
    return held.length === urls.length;
  };
  await waitFor(isHeld, { description: 'both webhooks to be taken by a worker' });
  const other = await hooks.tenant();
  await hooks.hook(other, { url: thin, payloadMode: 'thin' });
  await hooks.event(other);
  await arrive([thin], 1);
  expect(urls.flatMap((url) => sender.to(url))).toEqual([]);
});
