import { Command, InvalidArgumentError } from 'commander';
import type { RegisteredTenant } from '#platform/auth/tenants';
import { TenantSetup } from '#practice/tenants/tenant-setup';
import type { Session } from '../session';

export function tenantsCommand(session: Session): Command {
  const tenants = new Command('tenants').description('the firms that this deployment serves');

  tenants
    .command('create')
    .description(
      'a new tenant, with a default division, tax codes, task types, a rate set and its system roles',
    )
    .requiredOption('--alias <alias>', 'its part of every address')
    .requiredOption('--name <name>', 'name of the firm')
    .option('--region <region>', "must be the deployment's (its default)")
    .action(async ({ alias, name, region }: { alias: string; name: string; region?: string }) => {
      const tenant = await session.use(TenantSetup, (setup) => setup.create({ alias, name, region }));
      session.print({ ...shown(tenant), name });
    });

  tenants
    .command('list')
    .description('all tenants')
    .action(async () => {
      const all = await session.use(TenantSetup, (setup) => setup.list());
      session.print(all.map((tenant) => ({ ...shown(tenant), name: tenant.name })));
    });

  tenants
    .command('set')
    .description('changes settings of a tenant')
    .requiredOption('--alias <alias>')
    .argument('<settings...>', 'each as key=value', setting)
    .action(async (settings: Record<string, string>, { alias }: { alias: string }) => {
      const state = await session.use(TenantSetup, (setup) => setup.set(alias, settings));
      const { isDeleted: _, externalReference: __, referenceOwner: ___, ...values } = state;
      session.print({ alias, ...values });
    });
  return tenants;
}

function shown({ alias, region, partition, createdAt }: RegisteredTenant) {
  return { alias, region, partition, createdOn: createdAt };
}

function setting(text: string, earlier?: Record<string, string>): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError(`"${text}" is not key=value.`);
  return { ...earlier, [text.slice(0, at)]: text.slice(at + 1) };
}
