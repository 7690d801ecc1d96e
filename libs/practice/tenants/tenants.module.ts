import type { Area } from '../records/area';
import { column, stateTable } from '../records/state-table';
import { Tenant, type TenantState } from './tenant';
import { GetTenantHandler } from './tenant.queries';
import { TenantsReadController } from './tenants.controllers';

const tenantsProjection = stateTable(Tenant, {
  name: 'tenants',
  version: 2,
  columns: {
    firm_name: column<TenantState>('text', ({ firmName }) => firmName),
    currency: column<TenantState>('text', ({ currency }) => currency),
    time_zone: column<TenantState>('text', ({ timeZone }) => timeZone),
    financial_year_start: column<TenantState>('smallint', ({ financialYearStart }) => financialYearStart),
  },
  words: ({ firmName }) => [firmName],
});

export const tenantsArea: Area = {
  definition: Tenant,
  write: { controllers: [], handlers: [] },
  read: { controllers: [TenantsReadController], handlers: [GetTenantHandler] },
  projections: [tenantsProjection],
};
