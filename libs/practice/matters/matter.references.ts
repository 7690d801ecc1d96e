import type { Folded } from '#event-store/events';
import { at } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { invalid } from '#kernel/errors';
import type { RequestContext } from '#platform/request-context';
import { activeClient, Client } from '../clients/client.lookup';
import { activeDivision, Division } from '../divisions/division.lookup';
import { activeEmployee, Employee } from '../employees/employee.lookup';
import { Entity, presentEntity } from '../entities/entity.lookup';
import { requireBaseCurrency, settings, settingsOf, type TenantState } from '../tenants/tenant.lookup';
import type { MatterPatch } from './matter.input';

/** Areas that have no records yet: no id of theirs can be right. */
const NOT_YET = { matterTypeId: 'mattertype', rateSetId: 'rateset', taxCodeId: 'taxcode' } as const;

/** Questions for every record that the body refers to. */
export function referencesOf(context: RequestContext, body: MatterPatch) {
  return {
    settings: settingsOf(context),
    client: at(Client, body.clientId),
    division: at(Division, body.divisionId),
    responsible: at(Employee, body.responsiblePersonId),
    acting: at(Employee, body.actingPersonId),
    assisting: at(Employee, body.assistingPersonId),
    introducer: at(Entity, body.introducerId),
    contact: at(Entity, body.billingContactId),
  };
}

type Answers = Awaited<ReturnType<UnitOfWork['load']>> &
  Record<keyof ReturnType<typeof referencesOf>, unknown>;

/**
 * Checks that what the body refers to exists in the tenant and is active. A reference that is absent or null is not looked at.
 * @returns the tenant's settings
 */
export function checkReferences(body: MatterPatch, found: Answers): TenantState {
  const check = <State extends object>(
    id: string | null | undefined,
    require: (folded: Folded<State> | undefined, field: string) => unknown,
    answer: unknown,
    field: string,
  ) => {
    if (id) require(answer as Folded<State> | undefined, field);
  };
  check(body.clientId, activeClient, found.client, 'clientId');
  check(body.divisionId, activeDivision, found.division, 'divisionId');
  check(body.responsiblePersonId, activeEmployee, found.responsible, 'responsiblePersonId');
  check(body.actingPersonId, activeEmployee, found.acting, 'actingPersonId');
  check(body.assistingPersonId, activeEmployee, found.assisting, 'assistingPersonId');
  check(body.introducerId, presentEntity, found.introducer, 'introducerId');
  check(body.billingContactId, presentEntity, found.contact, 'billingContactId');
  for (const [field, what] of Object.entries(NOT_YET)) {
    if (body[field as keyof typeof NOT_YET])
      throw invalid(`${what}_not_found`, `${field}: there is no such ${what}.`, field);
  }
  const tenant = settings(found.settings as Folded<TenantState> | undefined);
  requireBaseCurrency(body.currency, tenant, 'currency');
  requireBaseCurrency(body.feeEstimate?.Currency, tenant, 'feeEstimate/Currency');
  requireBaseCurrency(body.disbursementEstimate?.Currency, tenant, 'disbursementEstimate/Currency');
  return tenant;
}
