import { Command } from 'commander';
import { Tenants } from '#platform/auth/tenants';
import { DeliveryTail } from '#webhooks/log/delivery-tail';
import type { Session } from '../session';

export function webhooksCommand(session: Session): Command {
  const webhooks = new Command('webhooks').description('what is sent to integrations');

  webhooks
    .command('tail')
    .description('shows each attempt to deliver, from now on, until Ctrl-C; with --json an object a line')
    .option('--tenant <alias>', 'of this tenant alone')
    .action(async ({ tenant }: { tenant?: string }) => {
      if (tenant !== undefined) await session.use(Tenants, (tenants) => tenants.get(tenant));
      const stopping = new AbortController();
      const stop = () => stopping.abort();
      process.once('SIGINT', stop);
      process.once('SIGTERM', stop);
      try {
        await session.use(DeliveryTail, async (tail) => {
          for await (const attempt of tail.follow(stopping.signal, tenant)) {
            const {
              at,
              tenant: alias,
              webhook,
              type,
              record,
              attempt: number,
              milliseconds,
              result,
            } = attempt;
            const line = `${at}  ${alias}  ${webhook}  ${type}  ${record}  #${number}  ${result}  ${milliseconds} ms`;
            session.line(attempt, line);
          }
        });
      } finally {
        process.off('SIGINT', stop);
        process.off('SIGTERM', stop);
      }
    });
  return webhooks;
}
