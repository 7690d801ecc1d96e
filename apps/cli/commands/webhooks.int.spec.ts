import { SystemClock } from '#kernel/clock';
import { loadConfig } from '#platform/config';
import { ScriptedSender } from '#webhooks/testing/scripted-sender';
import { openWebhooks } from '#webhooks/testing/webhook-parts';
import { waitFor } from '../../../test/support/wait-for';
import { run } from '../cli';

it('shows attempts while they happen, and ends on Ctrl-C', async () => {
  const hooks = await openWebhooks(new SystemClock());
  try {
    hooks.project();
    hooks.fanOut.start();
    let status = 500;
    hooks.dispatcher(new ScriptedSender(() => ({ status })), { random: () => 0 }).start();
    const context = await hooks.tenant();
    await hooks.hook(context);
    const lines: string[] = [];
    const secretsKey = hooks.store.config.SECRETS_KEY!;
    const ended = run(['webhooks', 'tail', '--tenant', context.tenant.alias, '--json'], {
      config: () => loadConfig({ DATABASE_URL: hooks.store.url, SECRETS_KEY: secretsKey }),
      out: (text) => lines.push(text),
      err: (text) => lines.push(text),
    });
    await hooks.event(context);
    await waitFor(() => lines.length >= 1, { description: 'the first line' });
    status = 204;
    await waitFor(() => lines.at(-1)?.includes('delivered'), { description: 'the delivery to be shown' });
    await hooks.event(context, 'Wills');
    const last = () => JSON.parse(lines.at(-1)!);
    await waitFor(() => last().attempt === 1 && last().result === 'delivered', {
      description: 'a delivery that succeeds at its first attempt',
    });
    process.emit('SIGINT');
    expect(await ended).toBe(0);
    const shown = lines.slice(0, -1).map((line) => JSON.parse(line));
    // The command may begin only after an attempt or two have been made.
    const [{ attempt: first }] = shown;
    expect(shown).toMatchObject(
      shown.map((_, index) => ({
        tenant: context.tenant.alias,
        type: 'division.created',
        attempt: first + index,
        result: index < shown.length - 1 ? '500' : 'delivered',
      })),
    );
  } finally {
    await hooks.close();
  }
});
