import { at } from '#event-store/load';
import type { Answers } from '#event-store/unit-of-work';
import type { RequestContext } from '#platform/request-context';
import { Client } from '../clients/client.lookup';
import { Division } from '../divisions/division.lookup';
import { Employee } from '../employees/employee.lookup';
import { Entity, presentEntity } from '../entities/entity.lookup';
import { MatterType } from '../matter-types/matter-type.lookup';
import { RateSet } from '../rate-sets/rate-set.lookup';
import { active, referred } from '../records/record';
import { TaxCode } from '../tax-codes/tax-code.lookup';
import { requireBaseCurrency, settings, settingsOf, type TenantState } from '../tenants/tenant.lookup';
import type { MatterPatch } from './matter.input';

/** Questions for every record to which the body refers. */
export function referencesOf(context: RequestContext, body: MatterPatch) {
  return {
    settings: settingsOf(context),
    client: at(Client, body.clientId),
    division: at(Division, body.divisionId),
    type: at(MatterType, body.matterTypeId),
    taxCode: at(TaxCode, body.taxCodeId),
    rateSet: at(RateSet, body.rateSetId),
    responsible: at(Employee, body.responsiblePersonId),
    acting: at(Employee, body.actingPersonId),
    assisting: at(Employee, body.assistingPersonId),
    introducer: at(Entity, body.introducerId),
    contact: at(Entity, body.billingContactId),
  };
}

/**
 * Checks that the records to which the body refers exist in the tenant and are active. Absent references and null are skipped.
 * @returns the tenant's settings
 */
export function checkReferences(
  body: MatterPatch,
  found: Answers<ReturnType<typeof referencesOf>>,
): TenantState {
  if (body.clientId) active(found.client, 'client', 'clientId');
  if (body.divisionId) active(found.division, 'division', 'divisionId');
  if (body.matterTypeId) active(found.type, 'mattertype', 'matterTypeId');
  if (body.taxCodeId) referred(found.taxCode, 'taxcode', 'taxCodeId');
  if (body.rateSetId) referred(found.rateSet, 'rateset', 'rateSetId');
  if (body.responsiblePersonId) active(found.responsible, 'employee', 'responsiblePersonId');
  if (body.actingPersonId) active(found.acting, 'employee', 'actingPersonId');
  if (body.assistingPersonId) active(found.assisting, 'employee', 'assistingPersonId');
  if (body.introducerId) presentEntity(found.introducer, 'introducerId');
  if (body.billingContactId) presentEntity(found.contact, 'billingContactId');
  const tenant = settings(found.settings);
  requireBaseCurrency(body.currency, tenant, 'currency');
  requireBaseCurrency(body.feeEstimate?.Currency, tenant, 'feeEstimate/Currency');
  requireBaseCurrency(body.disbursementEstimate?.Currency, tenant, 'disbursementEstimate/Currency');
  return tenant;
}
