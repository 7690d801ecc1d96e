import { applicableRatesArea } from './applicable-rates/applicable-rates.module';
import { clientsArea } from './clients/clients.module';
import { costRecoveriesArea } from './cost-recoveries/cost-recoveries.module';
import { disbursementCodesArea } from './disbursement-codes/disbursement-codes.module';
import { divisionsArea } from './divisions/divisions.module';
import { documentCollectionsArea } from './document-collections/document-collections.module';
import { documentsArea } from './documents/documents.module';
import { employeesArea } from './employees/employees.module';
import { entitiesArea } from './entities/entities.module';
import { integrationSettingsArea } from './integration-settings/integration-settings.module';
import { invoicesArea } from './invoices/invoices.module';
import { matterTypesArea } from './matter-types/matter-types.module';
import { mattersArea } from './matters/matters.module';
import { rateSetsArea } from './rate-sets/rate-sets.module';
import type { Area } from './records/area';
import { rolesArea } from './roles/roles.module';
import { suppliersArea } from './suppliers/suppliers.module';
import { taskTypesArea } from './task-types/task-types.module';
import { taxCodesArea } from './tax-codes/tax-codes.module';
import { tenantsArea } from './tenants/tenants.module';
import { workItemsArea } from './work-items/work-items.module';

/** Every area of the domain; a new one is its folder and its line here. */
export const areas: readonly Area[] = [
  tenantsArea,
  entitiesArea,
  clientsArea,
  employeesArea,
  divisionsArea,
  rolesArea,
  matterTypesArea,
  taskTypesArea,
  taxCodesArea,
  suppliersArea,
  disbursementCodesArea,
  rateSetsArea,
  mattersArea,
  applicableRatesArea,
  workItemsArea,
  costRecoveriesArea,
  invoicesArea,
  documentCollectionsArea,
  documentsArea,
  integrationSettingsArea,
];

/** The definitions of all areas' streams, for the event store. */
export const definitions = areas.flatMap(({ definition }) => definition ?? []);

/** All read models of the areas. */
export const projections = areas.flatMap(({ projections }) => projections);
