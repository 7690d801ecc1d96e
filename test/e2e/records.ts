import type { ApiClient } from '../support/client';
import { waitFor } from '../support/wait-for';

/** Creates records of a firm over HTTP. Each function returns the new record's id. */

let made = 0;
/** A word that no other record contains. */
export function mark(): string {
  return `mark${process.pid}x${++made}`;
}

export function person(api: ApiClient, lastName = mark(), firstName = 'Ada'): Promise<string> {
  return api.create('entities', { entityType: 'Individual', firstName, lastName });
}

export async function newClient(api: ApiClient, lastName?: string): Promise<string> {
  return api.create('clients', { entityId: await person(api, lastName) });
}

export async function activeClient(api: ApiClient, lastName?: string): Promise<string> {
  const id = await newClient(api, lastName);
  await api.data('POST', `clients/${id}/activate`);
  return id;
}

export async function employee(api: ApiClient, fields: object = {}): Promise<string> {
  return api.create('employees', { entityId: await person(api, undefined, 'Eve'), ...fields });
}

/** The division that every new tenant has, once it is visible. */
export async function generalDivision(api: ApiClient): Promise<string> {
  const found = await waitFor(async () => (await api.rows('divisions', { keywords: 'General' }))[0], {
    description: `the start data of ${api.tenant}`,
  });
  return found.id;
}

export async function matter(api: ApiClient, fields: object = {}): Promise<string> {
  const clientId = 'clientId' in fields ? fields.clientId : await activeClient(api);
  const divisionId = 'divisionId' in fields ? fields.divisionId : await generalDivision(api);
  return api.create('matters', { title: `Matter ${mark()}`, ...fields, clientId, divisionId });
}

export const HOUR = 36_000_000_000;

/** An hour at 250, at a fixed instant. */
export function hour(matterId: string, employeeId: string, fields: object = {}): object {
  return {
    matterId,
    employeeId,
    itemType: 0,
    entryDate: '2025-06-12T10:00:00Z',
    durationTicks: HOUR,
    rate: { Amount: 250, Currency: 'GBP' },
    title: 'Advice',
    ...fields,
  };
}
