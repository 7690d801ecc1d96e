import type { EventStore } from '#event-store/event-store';
import { at } from '#event-store/load';
import { toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import * as client from '../clients/client.commands';
import * as division from '../divisions/division.commands';
import { employeeWriting } from '../employees/employee.commands';
import { AnonymiseEntity, AnonymiseEntityHandler } from '../entities/entity.anonymise';
import * as entity from '../entities/entity.commands';
import { recordExport } from '../entities/entity.export';
import * as entityRoles from '../entities/entity.roles';
import { matterTypeWriting } from '../matter-types/matter-type.commands';
import * as matter from '../matters/matter.commands';
import * as rateSet from '../rate-sets/rate-set.commands';
import * as records from '../records/records.commands';
import type { AnyWriting } from '../records/write-record';
import { roleWriting } from '../roles/role.commands';
import { changeSettings, Tenant } from '../tenants/tenant';
import { liveCosts } from './cost-life';
import { liveDocuments } from './document-life';
import { liveInvoices } from './invoice-life';
import { liveApplicableRates, liveRateSets } from './rate-life';
import { liveRecord } from './record-life';
import { liveDisbursementCodes, liveSuppliers, liveTaskTypes, liveTaxCodes } from './reference-life';
import { type Do, liveWork } from './work-life';

const address = {
  street: '12 Mill Lane',
  city: 'Leeds',
  region: 'Yorkshire',
  postcode: 'LS1 4AP',
  country: 'GB',
};
const promotion = {
  requestId: '0198c2f1-a4b8-7c3d-9e5f-60718293a4b5',
  sourceSystem: 'Ledger 4',
  records: { created: 7, changed: 1 },
  at: '2026-04-01T06:00:00.000Z',
};
const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });

/**
 * Causes every type of event that can happen in a firm, through the commands' handlers, with as much data as it can
 * hold and with as little.
 */
export async function liveFirm(store: EventStore, context: RequestContext): Promise<void> {
  const act: Do = (Command, Handler, ...args) => new Handler(store).execute(new Command(context, ...args));
  const create = (writing: AnyWriting, body: object) =>
    act(records.CreateRecord, records.CreateRecordHandler, writing, body);
  const entities = await liveEntities(act);
  await store.execute(context, (work) => recordExport(work, entities[0]));
  const roleId = await liveRecord(store, context, roleWriting, {
    least: { name: 'Witness' },
    full: { name: 'Expert witness' },
    changes: { name: 'Counsel' },
  });
  await act(entityRoles.AssignRole, entityRoles.AssignRoleHandler, entities[0], roleId);
  await act(entityRoles.RemoveRole, entityRoles.RemoveRoleHandler, entities[0], roleId);
  await act(entityRoles.AssignRole, entityRoles.AssignRoleHandler, entities[0], roleId);
  const divisionId = await liveDivisions(act);
  const [employeeId, colleagueId] = await liveEmployees(act, entities, divisionId);
  const taxCodeId = await liveTaxCodes(store, context);
  const supplierId = await liveSuppliers(store, context, { entities, taxCodeId });
  const disbursementCodeId = await liveDisbursementCodes(store, context, { taxCodeId, supplierId });
  const parent = (await create(matterTypeWriting, { name: 'Property' })).record.id;
  const matterTypeId = await liveRecord(store, context, matterTypeWriting, {
    least: { name: 'Wills' },
    full: {
      name: 'Residential',
      code: 'RES',
      parentId: parent,
      divisionIds: [divisionId],
      retentionYears: 7,
    },
    changes: { name: 'Trusts', code: 'TRU', parentId: parent, divisionIds: [divisionId], retentionYears: 6 },
  });
  const taskTypeId = await liveTaskTypes(store, context);
  const rateSetId = await liveRateSets(store, context, { employeeId, taskTypeId, matterTypeId });
  const terms = { taxCodeId, defaultRateSetId: rateSetId };
  const [clientId, otherClientId] = await liveClients(act, entities, terms);
  const bare = { clientId, divisionId, title: 'Bare' };
  const bareId = (await act(matter.OpenMatter, matter.OpenMatterHandler, bare)).record.id;
  const full = {
    matterNumber: 'M/1',
    feeEstimate: gbp(5000),
    disbursementEstimate: gbp(250),
    minutesPerUnit: 10,
    responsiblePersonId: employeeId,
    actingPersonId: colleagueId,
    assistingPersonId: employeeId,
    introducerId: entities[0],
    billingContactId: entities[1],
    currency: 'GBP',
    externalReference: 'M1',
    matterTypeId,
    taxCodeId,
    rateSetId,
    dateOpened: '2025-03-01T09:00:00.000Z',
  };
  const matterId = (await act(matter.OpenMatter, matter.OpenMatterHandler, { ...bare, ...full })).record.id;
  const other = (await act(division.CreateDivision, division.CreateDivisionHandler, { name: 'Probate' }))
    .record.id;
  await act(matter.UpdateMatter, matter.UpdateMatterHandler, bareId, {
    ...full,
    clientId: otherClientId,
    divisionId: other,
    title: 'Full',
    matterNumber: 'M/2',
    externalReference: 'M2',
    dateOpened: '2025-03-02T09:00:00.000Z',
  });
  await liveApplicableRates(store, context, { matterId, clientId, employeeId, taskTypeId });
  const bought = { disbursementCodeId, taxCodeId, supplierId };
  await liveWork(act, { matterId, otherMatterId: bareId, employeeId, colleagueId, taskTypeId });
  await liveCosts(act, { matterId, otherMatterId: bareId, ...bought });
  await liveInvoices(act, { clientId, matterId, employeeId, taskTypeId, ...bought });
  await liveDocuments(act, { matterId, clientId });
  await act(matter.CloseMatter, matter.CloseMatterHandler, bareId);
  await act(matter.ReopenMatter, matter.ReopenMatterHandler, bareId);
  await act(matter.CloseMatter, matter.CloseMatterHandler, bareId);
  await act(matter.ArchiveMatter, matter.ArchiveMatterHandler, bareId);
  const mistake = (await act(matter.OpenMatter, matter.OpenMatterHandler, { ...bare, title: 'Mistake' }))
    .record.id;
  await act(matter.DeleteMatter, matter.DeleteMatterHandler, mistake);
  await store.execute(context, async (work) => {
    const { settings } = await work.load({ settings: at(Tenant, toId('tenant', context.tenant.streamId)) });
    const changes = {
      firmName: 'Firm & Firm',
      currency: 'EUR',
      timeZone: 'Europe/Dublin',
      financialYearStart: '1',
      minutesPerUnit: '10',
      unitRounding: 'Down',
      autoFinaliseWorkItems: 'false',
    };
    return work.change(Tenant, settings!, [
      ...changeSettings(settings!.data, changes, false),
      { type: 'ImportPromoted', data: promotion },
    ]);
  });
  await act(matter.UpdateMatter, matter.UpdateMatterHandler, matterId, { currency: 'EUR' });
  await act(rateSet.UpdateRateSet, rateSet.UpdateRateSetHandler, rateSetId, { currency: 'EUR' });
}

/** @returns four people */
async function liveEntities(act: Do): Promise<string[]> {
  const person = { entityType: 'Individual' as const, lastName: 'Okafor' };
  const contact = { email: 'ada@example.com', phones: ['+44 113 496 0000'], addresses: [address] };
  const numbers = { registrationNumber: '09', taxNumber: 'GB1', currency: 'EUR' };
  const people: string[] = [];
  for (const firstName of ['Ada', 'Bea', 'Cy', 'Di']) {
    people.push(
      (await act(entity.CreateEntity, entity.CreateEntityHandler, { ...person, firstName })).record.id,
    );
  }
  const full = { ...person, firstName: 'Eve', title: 'Dr', ...contact, ...numbers, externalReference: 'E1' };
  const eve = (await act(entity.CreateEntity, entity.CreateEntityHandler, full)).record.id;
  const less = { entityType: 'Organisation' as const, name: 'Acme' };
  const acme = (await act(entity.CreateEntity, entity.CreateEntityHandler, less)).record.id;
  const { entityType: _, ...changes } = { ...full, externalReference: 'E2', lastName: 'Obi' };
  await act(entity.UpdateEntity, entity.UpdateEntityHandler, people[0], changes);
  const empty = { street: 'Quay', city: null, region: null, postcode: null, country: null };
  await act(entity.UpdateEntity, entity.UpdateEntityHandler, acme, { name: 'Acme Ltd', addresses: [empty] });
  await act(entity.DeleteEntity, entity.DeleteEntityHandler, eve);
  const fay = (await act(entity.CreateEntity, entity.CreateEntityHandler, { ...person, firstName: 'Fay' }))
    .record.id;
  await act(AnonymiseEntity, AnonymiseEntityHandler, fay);
  return people;
}

async function liveDivisions(act: Do): Promise<string> {
  const full = { name: 'General', code: 'GEN', isDefault: true, externalReference: 'D1' };
  const general = (await act(division.CreateDivision, division.CreateDivisionHandler, full)).record.id;
  const other = (await act(division.CreateDivision, division.CreateDivisionHandler, { name: 'Other' })).record
    .id;
  const changes = { name: 'Another', code: 'OTH', isDefault: true, externalReference: 'D2' };
  await act(division.UpdateDivision, division.UpdateDivisionHandler, other, changes);
  await act(division.DeactivateDivision, division.DeactivateDivisionHandler, general);
  await act(division.ActivateDivision, division.ActivateDivisionHandler, general);
  await act(division.UpdateDivision, division.UpdateDivisionHandler, general, { isDefault: true });
  await act(division.DeleteDivision, division.DeleteDivisionHandler, other);
  return general;
}

async function liveEmployees(act: Do, entities: string[], divisionId: string): Promise<string[]> {
  const full = {
    initials: 'AO',
    divisionId,
    jobTitle: 'Associate',
    billingGrade: 'B',
    isFeeEarner: true,
    defaultRate: gbp(200),
    externalReference: 'P1',
  };
  const made: string[] = [];
  for (const fields of [full, {}, {}]) {
    const body = { entityId: entities[made.length], ...fields };
    made.push(
      (await act(records.CreateRecord, records.CreateRecordHandler, employeeWriting, body)).record.id,
    );
  }
  const changes = { ...full, isFeeEarner: false, externalReference: 'P2' };
  await act(records.UpdateRecord, records.UpdateRecordHandler, employeeWriting, made[1], changes);
  await act(records.DeactivateRecord, records.DeactivateRecordHandler, employeeWriting, made[1]);
  await act(records.ActivateRecord, records.ActivateRecordHandler, employeeWriting, made[1]);
  await act(records.DeleteRecord, records.DeleteRecordHandler, employeeWriting, made[2]);
  return made;
}

/** @returns two active clients */
async function liveClients(
  act: Do,
  entities: string[],
  codes: Record<'taxCodeId' | 'defaultRateSetId', string>,
): Promise<string[]> {
  const terms = {
    ...codes,
    clientNumber: 'C/1',
    billingContactId: entities[0],
    paymentTermsDays: 14,
    minutesPerUnit: 6,
  };
  const made: string[] = [];
  for (const fields of [{ ...terms, externalReference: 'C1' }, {}, {}]) {
    const body = { entityId: entities[made.length], ...fields };
    made.push((await act(client.CreateClient, client.CreateClientHandler, body)).record.id);
  }
  const changes = { ...terms, clientNumber: 'C/2', externalReference: 'C2' };
  await act(client.UpdateClient, client.UpdateClientHandler, made[1], changes);
  for (const id of made.slice(0, 2)) await act(client.ActivateClient, client.ActivateClientHandler, id);
  await act(client.DeactivateClient, client.DeactivateClientHandler, made[1]);
  await act(client.ActivateClient, client.ActivateClientHandler, made[1]);
  await act(client.DeleteClient, client.DeleteClientHandler, made[2]);
  return made;
}
