import { Command, InvalidArgumentError } from 'commander';
import { DemoLoad } from '#practice/demo/demo-load';
import type { DemoOptions } from '#practice/demo/demo-size';
import type { Session } from '../session';

export function demoCommand(session: Session): Command {
  const demo = new Command('demo').description('made-up firms');

  demo
    .command('load')
    .description(
      'fills a tenant that has only its start data with a plausible firm of any size, up to today: people, matters, ' +
        'time, costs, invoices, payments. A load that is broken off leaves a part of it: start over in another tenant',
    )
    .requiredOption('--items <count>', 'work items', whole)
    .requiredOption('--years <count>', 'how far back it goes', whole)
    .option('--tenant <alias>', 'whose firm it becomes', 'demo')
    .option('--fee-earners <count>', 'default: by the items; 200 at a million', whole)
    .option('--matters <count>', 'default: by the items; 20,000 at a million', whole)
    .option('--seed <number>', 'another one makes another firm', whole)
    .action(async ({ tenant, ...options }: DemoOptions & { tenant: string }) => {
      const progress = session.progress(tenant);
      const loaded = await session
        .use(DemoLoad, (load) =>
          load.load(tenant, options, (items) => progress?.show('loading', items, options.items)),
        )
        .finally(() => progress?.end());
      session.print(loaded);
    });
  return demo;
}

function whole(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError(`"${text}" is not a whole number.`);
  return Number(text);
}
