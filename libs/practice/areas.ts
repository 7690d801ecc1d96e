import { clientsArea } from './clients/clients.module';
import { divisionsArea } from './divisions/divisions.module';
import { employeesArea } from './employees/employees.module';
import { entitiesArea } from './entities/entities.module';
import { mattersArea } from './matters/matters.module';
import type { Area } from './records/area';
import { tenantsArea } from './tenants/tenants.module';
import { workItemsArea } from './work-items/work-items.module';

/** Every area of the domain; a new one is its folder and its line here. */
export const areas: readonly Area[] = [
  tenantsArea,
  entitiesArea,
  clientsArea,
  employeesArea,
  divisionsArea,
  mattersArea,
  workItemsArea,
];

/** What the event store must know of all of them. */
export const definitions = areas.map(({ definition }) => definition);
