import type { EventStore } from '#event-store/event-store';
import { at } from '#event-store/load';
import { toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import * as client from '../clients/client.commands';
import * as division from '../divisions/division.commands';
import * as employee from '../employees/employee.commands';
import * as entity from '../entities/entity.commands';
import * as matter from '../matters/matter.commands';
import { changeSettings, Tenant } from '../tenants/tenant';
import * as workItem from '../work-items/work-item.commands';

const address = {
  street: '12 Mill Lane',
  city: 'Leeds',
  region: 'Yorkshire',
  postcode: 'LS1 4AP',
  country: 'GB',
};
const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });

type Do = <Args extends unknown[], Command, Result>(
  command: new (context: RequestContext, ...args: Args) => Command,
  handler: new (store: EventStore) => { execute(command: Command): Promise<Result> },
  ...args: Args
) => Promise<Result>;

/**
 * All that can happen in a firm, through the commands' handlers: every type of event, with all that it can hold and
 * with as little as it can.
 */
export async function liveFirm(store: EventStore, context: RequestContext): Promise<void> {
  const act: Do = (Command, Handler, ...args) => new Handler(store).execute(new Command(context, ...args));
  const entities = await liveEntities(act);
  const divisionId = await liveDivisions(act);
  const [employeeId, colleagueId] = await liveEmployees(act, entities, divisionId);
  const [clientId, otherClientId] = await liveClients(act, entities);
  const bare = { clientId, divisionId, title: 'Bare' };
  const bareId = (await act(matter.OpenMatter, matter.OpenMatterHandler, bare)).record.id;
  const full = {
    ...{ matterNumber: 'M/1', feeEstimate: gbp(5000), disbursementEstimate: gbp(250), minutesPerUnit: 10 },
    ...{ responsiblePersonId: employeeId, actingPersonId: colleagueId, assistingPersonId: employeeId },
    ...{ introducerId: entities[0], billingContactId: entities[1], currency: 'GBP', externalReference: 'M1' },
    dateOpened: '2025-03-01T09:00:00.000Z',
  };
  const matterId = (await act(matter.OpenMatter, matter.OpenMatterHandler, { ...bare, ...full })).record.id;
  const other = (await act(division.CreateDivision, division.CreateDivisionHandler, { name: 'Probate' }))
    .record.id;
  await act(matter.UpdateMatter, matter.UpdateMatterHandler, bareId, {
    ...full,
    ...{
      clientId: otherClientId,
      divisionId: other,
      title: 'Full',
      matterNumber: 'M/2',
      externalReference: 'M2',
    },
    dateOpened: '2025-03-02T09:00:00.000Z',
  });
  await liveWork(act, { matterId, otherMatterId: bareId, employeeId, colleagueId });
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
      ...{ firmName: 'Firm & Firm', currency: 'EUR', timeZone: 'Europe/Dublin', financialYearStart: '1' },
      ...{ minutesPerUnit: '10', unitRounding: 'Down', autoFinaliseWorkItems: 'false' },
    };
    return work.change(Tenant, settings!, changeSettings(settings!.data, changes, false));
  });
  await act(matter.UpdateMatter, matter.UpdateMatterHandler, matterId, { currency: 'EUR' });
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
    ...{ initials: 'AO', divisionId, jobTitle: 'Associate', billingGrade: 'B', isFeeEarner: true },
    ...{ defaultRate: gbp(200), externalReference: 'P1' },
  };
  const made: string[] = [];
  for (const fields of [full, {}, {}]) {
    const body = { entityId: entities[made.length], ...fields };
    made.push((await act(employee.CreateEmployee, employee.CreateEmployeeHandler, body)).record.id);
  }
  const changes = { ...full, isFeeEarner: false, externalReference: 'P2' };
  await act(employee.UpdateEmployee, employee.UpdateEmployeeHandler, made[1], changes);
  await act(employee.DeactivateEmployee, employee.DeactivateEmployeeHandler, made[1]);
  await act(employee.ActivateEmployee, employee.ActivateEmployeeHandler, made[1]);
  await act(employee.DeleteEmployee, employee.DeleteEmployeeHandler, made[2]);
  return made;
}

/** @returns two active clients */
async function liveClients(act: Do, entities: string[]): Promise<string[]> {
  const terms = {
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

interface WorkParts {
  matterId: string;
  otherMatterId: string;
  employeeId: string;
  colleagueId: string;
}

async function liveWork(
  act: Do,
  { matterId, otherMatterId, employeeId, colleagueId }: WorkParts,
): Promise<void> {
  const timed = {
    employeeId,
    itemType: 0 as const,
    entryDate: '2025-06-12T10:00:00.000Z',
    durationTicks: 36_000_000_000,
  };
  const full = { ...timed, matterId, units: 7, rate: gbp(180), title: 'Advice', isBillable: true };
  const record = async (body: typeof timed) =>
    (await act(workItem.RecordWorkItem, workItem.RecordWorkItemHandler, body)).record.id;
  const item = await record({ ...full, externalReference: 'W1' } as typeof timed);
  const office = await record(timed);
  for (const id of [item, office])
    await act(workItem.UnfinaliseWorkItem, workItem.UnfinaliseWorkItemHandler, id);
  await act(workItem.UpdateWorkItem, workItem.UpdateWorkItemHandler, office, {
    ...{
      matterId,
      employeeId: colleagueId,
      itemType: 1,
      entryDate: '2025-06-14T10:00:00.000Z',
      durationTicks: 0,
    },
    ...{ units: 2, rate: gbp(80), title: 'Search fee', isBillable: false, externalReference: 'W2' },
  });
  for (const id of [item, office]) {
    await act(workItem.FinaliseWorkItem, workItem.FinaliseWorkItemHandler, id);
    await act(workItem.WriteOffWorkItem, workItem.WriteOffWorkItemHandler, id, {
      reason: 'Goodwill',
      units: 1,
    });
    await act(workItem.ReinstateWorkItem, workItem.ReinstateWorkItemHandler, id);
  }
  await act(workItem.UnfinaliseWorkItem, workItem.UnfinaliseWorkItemHandler, office);
  await act(workItem.UpdateWorkItem, workItem.UpdateWorkItemHandler, office, { matterId: otherMatterId });
  await act(workItem.DeleteWorkItem, workItem.DeleteWorkItemHandler, office);
}
