import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { BulkAppender, type NewStream } from '#event-store/append/append-bulk';
import type { RecordedEvent } from '#event-store/events';
import { START } from '#event-store/position';
import { AppendSignal } from '#event-store/signal';
import { SystemClock } from '#kernel/clock';
import type { DomainEvent } from '#kernel/decider';
import { type Id, type Kind, toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { Client } from '#practice/clients/client';
import { Division } from '#practice/divisions/division';
import { Employee } from '#practice/employees/employee';
import { Entity } from '#practice/entities/entity';
import { Invoice } from '#practice/invoices/invoice';
import { MatterType } from '#practice/matter-types/matter-type';
import { Matter } from '#practice/matters/matter';
import { noReference } from '#practice/records/record';
import { NEW_TASK_TYPE, TaskType } from '#practice/task-types/task-type';
import { newTenant, Tenant } from '#practice/tenants/tenant';
import { createContext, type TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { type NaiveRows, naiveRows } from './naive-rows';
import { type FirmDraw, firmDraw } from './property-draws';
import { projectInBatches } from './property-projecting';
import { type References, workStream } from './property-work';

/**
 * A firm whose events are in the store and in the read models, with its reports' rows as computed from these events.
 */
export interface PropertyFirm {
  context: RequestContext;
  place: FirmDraw['place'];
  rows: NaiveRows;
}

const ITEMS = 220;

/** Creates the firm of a seed and a number. */
export async function makeFirm(store: TestStore, seed: number, number: number): Promise<PropertyFirm> {
  const [draw] = fc.sample(fc.noBias(firmDraw(seed + number, ITEMS)), {
    seed: seed + number,
    numRuns: 1,
  });
  const context = await createContext(store);
  const { region, zone: timeZone, financialYearStart, currency } = draw.place;
  await store.store.execute(context, async (work) =>
    work.create(
      Tenant,
      toId('tenant', context.tenant.streamId),
      newTenant('Firm', region).map(({ type, data }) => ({
        type,
        data: { ...data, timeZone, financialYearStart, currency },
      })) as ReturnType<typeof newTenant>,
    ),
  );
  const signal = new AppendSignal(store.writes);
  const bulk = new BulkAppender(store.writes, store.codec, store.keys, signal, new SystemClock());
  await bulk.append(context, firmStreams(draw, `${seed} ${number}`), 'test');
  signal.onApplicationShutdown();
  const events = await recorded(store, context);
  await projectInBatches(store, events, draw.batch);
  return { context, place: draw.place, rows: naiveRows(events, financialYearStart) };
}

/** All events of the tenant, in feed order. */
async function recorded(store: TestStore, { tenant }: RequestContext): Promise<RecordedEvent[]> {
  const { rows } = await store.writes.pool.query<{ total: number }>(
    'select count(*)::int as total from event_store.events where tenant_id = $1',
    [tenant.id],
  );
  let events: RecordedEvent[] = [];
  await waitFor(
    async () => {
      const read = (await store.feed.page([{ partition: tenant.partition, after: START }], 100_000)).events;
      events = read.filter(({ tenantId }) => tenantId === tenant.id);
      return events.length === rows[0].total;
    },
    { description: "the feed to show all of the tenant's events" },
  );
  return events;
}

/** @param salt part of the ids, so that the same seed results in the same ids */
function firmStreams(draw: FirmDraw, salt: string): NewStream[] {
  const { place, renamed } = draw;
  const streams: NewStream[] = [];
  const add = (definition: NewStream['definition'], index: number, ...events: DomainEvent[]): Id => {
    const id = idOf(definition.kind, index, salt);
    streams.push({ definition, id, events });
    return id;
  };
  const own = { ...noReference, currency: place.currency };
  const contact = { email: null, phones: [], addresses: [], registrationNumber: null, taxNumber: null };
  const person = (index: number, [lastName, firstName]: string[], later?: string) => {
    const names = {
      entityType: 'Individual',
      lastName,
      firstName: firstName ?? null,
      title: null,
      name: null,
    };
    const created = { type: 'EntityCreated', data: { ...names, ...contact, ...own } };
    const changed = { type: 'EntityUpdated', data: { lastName: later, firstName: null } };
    return add(Entity, index, created, ...(later ? [changed] : []));
  };
  const company = (index: number, name: string, later?: string) => {
    const names = { entityType: 'Organisation', lastName: null, firstName: null, title: null, name };
    const created = { type: 'EntityCreated', data: { ...names, ...contact, ...own } };
    return add(Entity, index, created, ...(later ? [{ type: 'EntityUpdated', data: { name: later } }] : []));
  };
  const employees = draw.employees.map((name, index) => {
    const entityId = person(index, name.split(', '), index === 0 ? renamed.employee : undefined);
    const grade = { initials: null, divisionId: null, jobTitle: null, billingGrade: null };
    const data = { ...grade, entityId, isFeeEarner: true, defaultRate: null, ...noReference };
    return add(Employee, index, { type: 'EmployeeCreated', data });
  });
  const clients = draw.clients.map((name, index) => {
    const entityId = company(100 + index, name, index === 0 ? renamed.client : undefined);
    const terms = { defaultRateSetId: null, taxCodeId: null, paymentTermsDays: null, minutesPerUnit: null };
    const data = { ...terms, entityId, clientNumber: `C${index}`, billingContactId: null, ...noReference };
    return add(Client, index, { type: 'ClientCreated', data });
  });
  const divisions = draw.divisions.map((name, index) =>
    add(Division, index, {
      type: 'DivisionCreated',
      data: { name, code: null, isDefault: false, ...noReference },
    }),
  );
  const types = draw.matterTypes.map((name, index) => {
    const data = { name, code: null, parentId: null, divisionIds: [], retentionYears: null, ...noReference };
    return add(MatterType, index, { type: 'MatterTypeCreated', data });
  });
  const taskTypes = draw.taskTypes.map((name, index) => {
    const data = { ...NEW_TASK_TYPE, name, code: `T${index % 2 ? index : `0${index}`}`, ...noReference };
    return add(TaskType, index, { type: 'TaskTypeCreated', data });
  });
  const matters = draw.matters.map((matter, index) => {
    const fieldsOf = ({ client, division, type, title }: FirmDraw['matters'][number]) => ({
      clientId: clients[client % clients.length],
      divisionId: divisions[division % divisions.length],
      title,
      matterTypeId: type === null ? null : types[type % types.length],
    });
    const people = { responsiblePersonId: null, actingPersonId: null, assistingPersonId: null };
    const terms = {
      introducerId: null,
      billingContactId: null,
      feeEstimate: null,
      disbursementEstimate: null,
    };
    const rates = { rateSetId: null, taxCodeId: null, minutesPerUnit: null };
    const fields = { ...people, ...terms, ...rates, dateOpened: '2023-01-01T00:00:00.000Z', ...own };
    const data = { ...fields, ...fieldsOf(matter), matterNumber: `M${index * 3}` };
    // The client of a matter with work cannot change.
    const { clientId: _, ...changes } = fieldsOf(renamed.matter);
    const moved = { type: 'MatterUpdated', data: changes };
    return add(Matter, index, { type: 'MatterCreated', data }, ...(index === 0 ? [moved] : []));
  });
  const invoices = draw.invoices.map((number, index) => {
    const dates = { issueDate: null, dueDate: null, ...own };
    const created = {
      type: 'InvoiceCreated',
      data: { ...dates, clientId: clients[0], matterId: matters[0] },
    };
    const untaxed = { defaultTaxCodeId: null, rates: [] };
    const days = { issueDate: '2025-06-01', dueDate: '2025-07-01' };
    const issued = { type: 'InvoiceIssued', data: { ...untaxed, ...days, number: `${number}/${index}` } };
    return add(Invoice, index, created, ...(number === null ? [] : [issued]));
  });
  const references: References = { ...place, employees, matters, taskTypes, invoices };
  return [
    ...streams,
    ...draw.items.map((item, index) => workStream(idOf('workitem', index, salt), item, references)),
  ];
}

function idOf(kind: Kind, index: number, salt: string): Id {
  return `${kind}_${createHash('md5').update(`${salt} ${kind} ${index}`).digest('hex')}`;
}
