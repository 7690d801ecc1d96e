import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '#platform/package-root';
import { ApiClient, type Credentials } from '../../support/client';
import { nodeFlags } from '../../support/deployed';

/** The matters and employees of work items. */
export interface Firm {
  matterIds: string[];
  employeeIds: string[];
}

/** Runs an operator's command in a process of its own, as `npm run cli` does. @returns its JSON output */
export async function cli<Answer>(env: Record<string, string>, ...args: string[]): Promise<Answer> {
  const main = join(packageRoot(), 'dist/apps/cli/main.js');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...nodeFlags('cli'), main, ...args, '--json'],
    {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    },
  );
  return JSON.parse(stdout);
}

/** New tenants, and an integration that may use all of them practically without a rate limit. */
export async function createTenants(env: Record<string, string>, aliases: string[]): Promise<Credentials> {
  for (const alias of aliases) await cli(env, 'tenants', 'create', '--alias', alias, '--name', alias);
  const terms = (alias: string) => ['--tenant', alias, '--limit', '100000000', '--period', '3600'];
  const [first, ...others] = aliases;
  const name = ['--name', 'Bench'];
  const credentials = await cli<Credentials>(env, 'integrations', 'create', ...name, ...terms(first));
  for (const alias of others) await cli(env, 'integrations', 'grant', ...name, ...terms(alias));
  return credentials;
}

/** Creates employees, and open matters of one client, over HTTP. */
export async function openFirm(
  commandUrl: string,
  alias: string,
  token: string,
  count: { employees: number; matters: number },
): Promise<Firm> {
  const api = new ApiClient(alias, token, { writes: commandUrl, reads: commandUrl });
  const name = { entityType: 'Individual', firstName: 'Ada', lastName: 'Lovelace' };
  const clientId = await api.create('clients', { entityId: await api.create('entities', name) });
  await api.data('POST', `clients/${clientId}/activate`);
  const divisionId = await api.create('divisions', { name: 'Bench' });
  const firm: Firm = { matterIds: [], employeeIds: [] };
  for (let number = 1; number <= count.employees; number++) {
    const entityId = await api.create('entities', { ...name, firstName: `Ada ${number}` });
    firm.employeeIds.push(await api.create('employees', { entityId }));
  }
  for (let number = 1; number <= count.matters; number++) {
    firm.matterIds.push(await api.create('matters', { clientId, divisionId, title: `Lease ${number}` }));
  }
  return firm;
}

/** The body of a POST of 36 minutes of work, on the firm's matters and by its employees in turn. */
export function someWork({ matterIds, employeeIds }: Firm, number = 0): object {
  return {
    matterId: matterIds[number % matterIds.length],
    employeeId: employeeIds[number % employeeIds.length],
    itemType: 0,
    entryDate: '2025-06-16T09:30:00Z',
    durationTicks: 21_600_000_000,
    units: 6,
    rate: { Amount: 250, Currency: 'GBP' },
    title: 'Reading the draft lease and writing to the landlord about the repairing covenants',
  };
}
