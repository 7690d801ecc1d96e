import type { RequestContext } from '#platform/request-context';
import type { TestStore } from '../../../test/support/store';
import * as client from '../clients/client.commands';
import { disbursementCodeWriting } from '../disbursement-codes/disbursement-code.commands';
import * as division from '../divisions/division.commands';
import { employeeWriting } from '../employees/employee.commands';
import * as entity from '../entities/entity.commands';
import * as matter from '../matters/matter.commands';
import { CreateRecord, CreateRecordHandler } from '../records/records.commands';
import type { AnyWriting } from '../records/write-record';
import { supplierWriting } from '../suppliers/supplier.commands';
import { taxCodeWriting } from '../tax-codes/tax-code.commands';
import { createFirm } from './firm';
import type { LedgerMatter } from './naive-records';
import type { Do } from './work-life';

/** The firm and the records with which a billing history begins. */
export interface BillingFirm {
  context: RequestContext;
  act: Do;
  /** By id. */
  matters: Map<string, LedgerMatter>;
  clientIds: string[];
  employeeIds: string[];
  disbursementCodeId: string;
  supplierId: string;
  /** By their codes. */
  taxCodes: Map<string, string>;
}

const STANDARD = [
  { percent: 17.5, from: '1991-04-01', to: '2008-11-30' },
  { percent: 15, from: '2008-12-01', to: '2009-12-31' },
  { percent: 17.5, from: '2010-01-01', to: '2011-01-03' },
  { percent: 20, from: '2011-01-04' },
];

/**
 * Creates a firm with two clients, three matters and two fee earners. Each matter has terms of its own.
 * @param units the minutes of a unit: of the first client, and of a matter with its own
 */
export async function createBillingFirm(
  store: TestStore,
  [onClient, onMatter]: readonly [number, number] = [7.5, 10],
): Promise<BillingFirm> {
  const context = await createFirm(store);
  const act: Do = (Command, Handler, ...args) =>
    new Handler(store.store).execute(new Command(context, ...args));
  const create = async (writing: AnyWriting, body: object) =>
    (await new CreateRecordHandler(store.store).execute(new CreateRecord(context, writing, body))).record.id;
  const taxCodes = new Map<string, string>();
  for (const [code, category, rates] of [
    ['STD', 'Standard', STANDARD] as const,
    ['RED', 'Reduced', [{ percent: 5, from: '1997-09-01' }]] as const,
    ['ZERO', 'Zero', []] as const,
    ['EXEMPT', 'Exempt', []] as const,
  ])
    taxCodes.set(code, await create(taxCodeWriting, { code, name: code, scheme: 'VAT', category, rates }));
  const people: string[] = [];
  for (const lastName of ['Hart', 'Moss']) {
    const body = { entityType: 'Individual' as const, lastName };
    people.push((await act(entity.CreateEntity, entity.CreateEntityHandler, body)).record.id);
  }
  const general = { name: 'General' };
  const divisionId = (await act(division.CreateDivision, division.CreateDivisionHandler, general)).record.id;
  const clientIds: string[] = [];
  const employeeIds: string[] = [];
  for (const [index, entityId] of people.entries()) {
    const terms =
      index === 0 ? { paymentTermsDays: 14, minutesPerUnit: onClient } : { taxCodeId: taxCodes.get('ZERO') };
    const { record } = await act(client.CreateClient, client.CreateClientHandler, { entityId, ...terms });
    await act(client.ActivateClient, client.ActivateClientHandler, record.id);
    clientIds.push(record.id);
    employeeIds.push(await create(employeeWriting, { entityId }));
  }
  const matters = new Map<string, LedgerMatter>();
  const [mine, theirs] = clientIds;
  const open = async (body: object, expected: Omit<LedgerMatter, 'open'>) => {
    const fields = { clientId: expected.clientId, divisionId, title: 'Claim', ...body };
    const { record } = await act(matter.OpenMatter, matter.OpenMatterHandler, fields);
    matters.set(record.id, { ...expected, open: true });
  };
  await open({}, { clientId: mine, minutesPerUnit: onClient, taxCode: 'STD', paymentTermsDays: 14 });
  const reduced = { taxCodeId: taxCodes.get('RED'), minutesPerUnit: onMatter };
  await open(reduced, { clientId: mine, minutesPerUnit: onMatter, taxCode: 'RED', paymentTermsDays: 14 });
  await open({}, { clientId: theirs, minutesPerUnit: 6, taxCode: 'ZERO', paymentTermsDays: 30 });
  const taxCodeId = taxCodes.get('EXEMPT');
  const supplierId = await create(supplierWriting, { entityId: people[1] });
  const disbursementCodeId = await create(disbursementCodeWriting, {
    code: 'GEN',
    name: 'General',
    taxCodeId,
  });
  return { context, act, matters, clientIds, employeeIds, disbursementCodeId, supplierId, taxCodes };
}
