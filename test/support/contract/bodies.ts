import { hour, mark } from '../../e2e/records';
import type { ApiClient } from '../client';
import { formOf } from '../form';
import { waitFor } from '../wait-for';

/** A tenant with one record of every area. */
export interface Firm {
  api: ApiClient;
  /** Part of the names of all its records. */
  word: string;
  /** By kind. `requestId` is the id of an import, `promotedRequestId` that of a promoted one. */
  ids: Record<string, string>;
}

type Body = (firm: Firm, name: string) => Promise<object>;

const person: Body = async (_firm, name) => ({ entityType: 'Individual', lastName: `Smith ${name}` });

/**
 * A valid body for every area, in the order in which a firm can create them. The new record refers to as many other
 * records of the firm as it can. `name`, a word, is part of its name.
 */
export const bodies: Record<string, Body> = {
  roles: async (_firm, name) => ({ name: `Witness ${name}` }),
  divisions: async (_firm, name) => ({ name: `Family ${name}`, code: 'FAM' }),
  taxcodes: async (_firm, name) => ({ code: name, name: `Exempt ${name}`, category: 'Exempt' }),
  tasktypes: async (_firm, name) => ({ code: name, name: `Drafting ${name}` }),
  mattertypes: async ({ ids }, name) => ({ name: `Divorce ${name}`, divisionIds: [ids.division] }),
  entities: person,
  employees: async (firm, name) => ({
    entityId: await firm.api.create('entities', await person(firm, name)),
    divisionId: firm.ids.division,
    jobTitle: name,
  }),
  ratesets: async ({ ids }, name) => ({
    name: `Rates ${name}`,
    currency: 'GBP',
    entries: [{ rate: { Amount: 250, Currency: 'GBP' }, employeeId: ids.employee, jobTitle: name }],
  }),
  clients: async (firm, name) => ({
    entityId: await firm.api.create('entities', await person(firm, name)),
    defaultRateSetId: firm.ids.rateset,
    taxCodeId: firm.ids.taxcode,
    billingContactId: firm.ids.entity,
  }),
  disbursementcodes: async ({ ids }, name) => ({
    code: name,
    name: `Search ${name}`,
    taxCodeId: ids.taxcode,
  }),
  suppliers: async (firm, name) => ({
    entityId: await firm.api.create('entities', await person(firm, name)),
    taxCodeId: firm.ids.taxcode,
    defaultDisbursementCodeId: firm.ids.disbursementcode,
  }),
  matters: async ({ ids }, name) => ({
    clientId: ids.client,
    divisionId: ids.division,
    title: `Divorce ${name}`,
    matterTypeId: ids.mattertype,
    responsiblePersonId: ids.employee,
    introducerId: ids.entity,
    rateSetId: ids.rateset,
    taxCodeId: ids.taxcode,
  }),
  applicablerates: async ({ ids }, name) => ({
    scope: 'Matter',
    scopeId: ids.matter,
    rate: { Amount: 300, Currency: 'GBP' },
    employeeId: ids.employee,
    taskTypeId: ids.tasktype,
    billingGrade: name,
    effectiveFrom: '2025-01-01',
  }),
  workitems: async ({ ids }, name) =>
    hour(ids.matter, ids.employee, { taskTypeId: ids.tasktype, title: `Letter ${name}` }),
  costrecoveries: async ({ ids }, name) => ({
    matterId: ids.matter,
    disbursementCodeId: ids.disbursementcode,
    kind: 'Incurred',
    entryDate: '2025-06-12T10:00:00Z',
    quantity: 2,
    unitAmount: { Amount: 3, Currency: 'GBP' },
    taxCodeId: ids.taxcode,
    supplierId: ids.supplier,
    description: `Search ${name}`,
  }),
  invoices: async ({ ids }, name) => ({
    clientId: ids.client,
    matterId: ids.matter,
    issueDate: '2025-06-30',
    lines: [{ kind: 'Fee', description: `Fixed fee ${name}`, amount: 500, taxCodeId: ids.taxcode }],
  }),
  documentcollections: async ({ ids }, name) => ({ name: `Letters ${name}`, subjectId: ids.matter }),
  documents: async ({ ids }, name) => ({
    fileName: `Letter ${name}.txt`,
    documentCollectionId: ids.documentcollection,
    file: `Dear ${name}`,
  }),
  webhooks: async (_firm, name) => ({ url: nowhere(name), events: ['matter.created'], description: name }),
};

/** An address at which nobody answers, for webhooks that are never called. */
const nowhere = (name: string) => `https://hooks.example.invalid/${name}`;

/** @param word at most as long as a code */
export async function makeFirm(api: ApiClient, word: string): Promise<Firm> {
  const firm: Firm = { api, word, ids: {} };
  for (const area of Object.keys(bodies)) {
    const reference = area === 'webhooks' ? {} : { externalReference: 'S1' };
    const id = await makeRecord(firm, area, word, reference);
    firm.ids[id.split('_')[0]] = id;
  }
  firm.ids.requestId = await failedImport(api);
  firm.ids.delivery = (await api.data('POST', `webhooks/${firm.ids.webhook}/test`)).id;
  return firm;
}

/** An import that ends because its source does not exist, so that another one can be requested. @returns its id */
async function failedImport(api: ApiClient): Promise<string> {
  const connectionString = 'Server=sql.example.invalid;User ID=reader;Password=secret;Connect Timeout=1';
  const { body } = await api.post('etl/import', { connectionString });
  const status = async () => (await api.get(`etl/import-status/${body.requestId}`)).body.status;
  await waitFor(async () => (await status()) === 'Failed', { description: 'the import to end' });
  return body.requestId;
}

/** Creates a record of an area. A client is activated, so that matters can be opened for it. */
export async function makeRecord(
  firm: Firm,
  area: string,
  name = mark(),
  fields: object = {},
): Promise<string> {
  if (!bodies[area]) throw new Error(`bodies.ts has no body for ${area}`);
  const body = { ...(await bodies[area](firm, name)), ...fields };
  const id = await firm.api.create(area, area === 'documents' ? formOf(body) : body);
  if (area === 'clients') await firm.api.data('POST', `clients/${id}/activate`);
  return id;
}
