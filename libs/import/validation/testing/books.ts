import { at } from '#event-store/load';
import { newId } from '#kernel/ids';
import { ApplicableRate } from '#practice/applicable-rates/applicable-rate';
import { Client } from '#practice/clients/client';
import { Employee } from '#practice/employees/employee';
import { Entity } from '#practice/entities/entity';
import { Matter } from '#practice/matters/matter';
import { noReference } from '#practice/records/record';
import { recordId } from '../../records/record-id';
import type { Imports } from '../../testing/import-parts';
import { ownMatter } from './own-matter';

export const SOURCE = 'Books';

/** Creates records that the tenant has before an import. */
export async function openBooks({ store, production, tenant }: Imports) {
  // biome-ignore lint/suspicious/noExplicitAny: any record's events
  async function make(definition: any, id: string, first: object, ...more: [verb: string, data?: object][]) {
    const name = Object.keys(definition.events)[0].replace('Created', '');
    const events = [['Created', { ...first, ...noReference }] as const, ...more].map(([verb, data = {}]) => ({
      type: `${name}${verb}`,
      data,
    }));
    await store.store.execute(production, async (work) =>
      work.create(definition, id as never, events as never),
    );
    return id;
  }
  const imported = (table: string, key: string) => recordId(tenant.streamId, SOURCE, table, key);

  const entity = (id: string = newId('entity'), ...more: [string, object][]) =>
    make(
      Entity,
      id,
      {
        entityType: 'Organisation',
        name: 'Mill Ltd',
        lastName: null,
        firstName: null,
        title: null,
        currency: 'GBP',
        email: null,
        phones: [],
        addresses: [],
        registrationNumber: null,
        taxNumber: null,
      },
      ...more,
    );
  const client = async (clientNumber: string, entityId: string, id: string, ...more: [string][]) =>
    make(
      Client,
      id,
      {
        entityId,
        clientNumber,
        defaultRateSetId: null,
        taxCodeId: null,
        billingContactId: null,
        paymentTermsDays: null,
        minutesPerUnit: null,
      },
      ['Activated'],
      ...more,
    );
  const matter = (
    matterNumber: string,
    clientId: string,
    minutesPerUnit: string | null,
    ...more: [string, object][]
  ) =>
    make(
      Matter,
      newId('matter'),
      {
        ...ownMatter,
        clientId,
        matterNumber,
        minutesPerUnit,
        divisionId: newId('division'),
      },
      ...more,
    );
  const employee = async (...more: [string][]) =>
    make(
      Employee,
      newId('employee'),
      {
        entityId: await entity(),
        initials: null,
        divisionId: null,
        jobTitle: null,
        billingGrade: null,
        isFeeEarner: true,
        defaultRate: null,
      },
      ...more,
    );

  const erase = async (id: string) => {
    const data = { shownAs: 'Erased 1234', anonymisedOn: '2025-01-01T00:00:00.000Z' };
    await store.store.execute(production, async (work) => {
      const { person } = await work.load({ person: at(Entity, id) });
      return work.change(Entity, person!, [{ type: 'EntityAnonymised', data }]);
    });
    return id;
  };

  const mill = await entity();
  const active = await client('C-900', mill, newId('client'));
  // Records with the ids of an earlier import.
  const before = await client('C-1', await entity(imported('Entity', 'ENT-1')), imported('Client', 'CLI-1'));
  await make(ApplicableRate, newId('applicablerate'), {
    scope: 'Client',
    scopeId: active,
    rate: { amount: '100', currency: 'GBP' },
    per: 'Hour',
    employeeId: null,
    billingGrade: null,
    taskTypeId: null,
    effectiveFrom: '2025-01-01',
    effectiveTo: null,
  });
  return {
    mill,
    active,
    inactive: await client('C-901', await entity(), newId('client'), ['Deactivated']),
    deleted: await client('C-902', await entity(), newId('client'), ['Deleted']),
    erased: await erase(await entity()),
    open: await matter('M-900', active, '12'),
    closed: await matter('M-901', active, null, ['Closed', { dateClosed: '2024-01-01T00:00:00.000Z' }]),
    ofImported: await matter('M-902', before, null),
    employee: await employee(),
    left: await employee(['Deactivated']),
  };
}

export type Books = Awaited<ReturnType<typeof openBooks>>;
