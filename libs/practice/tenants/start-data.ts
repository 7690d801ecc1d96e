import type { UnitOfWork } from '#event-store/unit-of-work';
import { createDivision } from '../divisions/division.lookup';
import { createDefaultRateSet } from '../rate-sets/rate-set.lookup';
import { createSystemRoles } from '../roles/role.lookup';
import { createTaskTypes, utbms } from '../task-types/task-type.lookup';
import { createTaxCodes } from '../tax-codes/tax-code.lookup';
import type { TenantState } from './tenant';

/** Creates the records that a new tenant starts with. Apart from the system roles, they are like those that it makes later. */
export async function createStartData(work: UnitOfWork, { region, currency }: TenantState): Promise<void> {
  await createDivision(work, { name: 'General', isDefault: true });
  createSystemRoles(work);
  createTaxCodes(work, region);
  createTaskTypes(work, utbms);
  createDefaultRateSet(work, currency);
}
