import { at } from '#event-store/load';
import type { Answers } from '#event-store/unit-of-work';
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

/**
 * Checks that what the body refers to exists in the tenant and is active. A reference that is absent or null is not
 * looked at.
 * @returns the tenant's settings
 */
export function checkReferences(
  body: MatterPatch,
  found: Answers<ReturnType<typeof referencesOf>>,
): TenantState {
  if (body.clientId) activeClient(found.client, 'clientId');
  if (body.divisionId) activeDivision(found.division, 'divisionId');
  if (body.responsiblePersonId) activeEmployee(found.responsible, 'responsiblePersonId');
  if (body.actingPersonId) activeEmployee(found.acting, 'actingPersonId');
  if (body.assistingPersonId) activeEmployee(found.assisting, 'assistingPersonId');
  if (body.introducerId) presentEntity(found.introducer, 'introducerId');
  if (body.billingContactId) presentEntity(found.contact, 'billingContactId');
  for (const [field, what] of Object.entries(NOT_YET)) {
    if (body[field as keyof typeof NOT_YET])
      throw invalid(`${what}_not_found`, `${field}: there is no such ${what}.`, field);
  }
  const tenant = settings(found.settings);
  requireBaseCurrency(body.currency, tenant, 'currency');
  requireBaseCurrency(body.feeEstimate?.Currency, tenant, 'feeEstimate/Currency');
  requireBaseCurrency(body.disbursementEstimate?.Currency, tenant, 'disbursementEstimate/Currency');
  return tenant;
}
