import { Command, InvalidArgumentError, Option } from 'commander';
import { conflict, invalid } from '#kernel/errors';
import { type GrantTerms, type IntegrationKey, Integrations } from '#platform/auth/integrations';
import type { Session } from '../session';

type Chosen = { clientId?: string; name?: string };

export function integrationsCommand(session: Session): Command {
  const integrations = new Command('integrations').description('who may call, and what tenants grant them');

  withTerms(integrations.command('create'))
    .description('a new integration with its first grant; its secret is shown once')
    .requiredOption('--name <name>')
    .addOption(new Option('--client-id <id>').hideHelp())
    .addOption(new Option('--client-secret <secret>').hideHelp())
    .action(async (terms: GrantTerms & { name: string; clientId?: string; clientSecret?: string }) => {
      show(session, await session.use(Integrations, (service) => service.create(terms)));
    });

  withTerms(chosen(integrations.command('grant')))
    .description(
      'lets an integration into a tenant, or changes what it may do there: what is not given stays',
    )
    .action(async ({ clientId, name, ...terms }: Chosen & GrantTerms) => {
      const key = keyOf({ clientId, name });
      session.print(await session.use(Integrations, (service) => service.grant(key, terms)));
    });

  chosen(integrations.command('revoke'))
    .description('takes the grant of a tenant back, or ends the integration everywhere')
    .addOption(new Option('--tenant <alias>').conflicts('everywhere'))
    .option('--everywhere', 'in all tenants, for good')
    .action(async ({ tenant, everywhere, ...choice }: Chosen & { tenant?: string; everywhere?: boolean }) => {
      const key = keyOf(choice);
      if (!tenant && !everywhere) throw invalid('usage', 'Give --tenant or --everywhere.');
      await session.use(Integrations, (service) =>
        tenant ? service.revoke(key, tenant) : service.revokeEverywhere(key),
      );
      session.print({ ...key, revoked: tenant ?? 'everywhere' });
    });

  chosen(integrations.command('rotate-secret'))
    .description('a new secret, shown once; the old one gets no tokens from now on')
    .action(async (choice: Chosen) => {
      show(session, await session.use(Integrations, (service) => service.rotateSecret(keyOf(choice))));
    });

  integrations
    .command('list')
    .description('all integrations with their grants')
    .action(async () => {
      const all = await session.use(Integrations, (service) => service.list());
      const rows = all.map(({ clientId, name, revokedAt, grants }) => ({
        clientId,
        name,
        revokedAt,
        grants: grants.map(({ tenant, limit, period }) => `${tenant} (${limit} in ${period} s)`),
      }));
      session.print(all, rows);
    });
  return integrations;
}

/** Prints an answer with a secret, which is stored only as a hash. */
function show(session: Session, answer: { clientId: string; clientSecret: string }): void {
  const { clientId } = answer;
  const message = `Nobody read the secret of ${clientId}: integrations rotate-secret --client-id ${clientId} makes another.`;
  session.printOnce(answer, conflict('secret_unread', message));
}

function withTerms(command: Command): Command {
  return command
    .requiredOption('--tenant <alias>')
    .option('--limit <requests>', 'requests in a period (100)', wholeNumber)
    .option('--period <seconds>', 'length of the period (60)', wholeNumber)
    .option('--permissions <list>', 'as matters:read,matters:write (all)', (text) =>
      text.split(',').map((name) => name.trim()),
    );
}

function chosen(command: Command): Command {
  return command
    .addOption(new Option('--client-id <id>', 'which integration').conflicts('name'))
    .option('--name <name>', 'which integration, when only one has the name');
}

function keyOf({ clientId, name }: Chosen): IntegrationKey {
  if (clientId !== undefined) return { clientId };
  if (name !== undefined) return { name };
  throw invalid('usage', 'Give --client-id or --name.');
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
