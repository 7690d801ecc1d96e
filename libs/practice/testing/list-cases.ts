import type { ListQuery } from '#platform/http/input/list-query';
import { ApplicableRatesQuery, applicableRates } from '../applicable-rates/applicable-rate.queries';
import { ClientsQuery, clients } from '../clients/client.queries';
import { CostRecoveriesQuery, costRecoveries } from '../cost-recoveries/cost-recovery.queries';
import { DisbursementCodesQuery, disbursementCodes } from '../disbursement-codes/disbursement-code.queries';
import { DivisionsQuery, divisions } from '../divisions/division.queries';
import {
  DocumentCollectionsQuery,
  documentCollections,
} from '../document-collections/document-collection.queries';
import { DocumentsQuery, documents } from '../documents/document.queries';
import { EmployeesQuery, employees } from '../employees/employee.queries';
import { EntitiesQuery, entities } from '../entities/entity.queries';
import { InvoicesQuery, invoices } from '../invoices/invoice.queries';
import { MatterTypesQuery, matterTypes } from '../matter-types/matter-type.queries';
import { MattersQuery, matters } from '../matters/matter.queries';
import { RateSetsQuery, rateSets } from '../rate-sets/rate-set.queries';
import type { AnyList } from '../records/record-list';
import { RolesQuery, roles } from '../roles/role.queries';
import { SuppliersQuery, suppliers } from '../suppliers/supplier.queries';
import { TaskTypesQuery, taskTypes } from '../task-types/task-type.queries';
import { TaxCodesQuery, taxCodes } from '../tax-codes/tax-code.queries';
import { WorkItemsQuery, workItems } from '../work-items/work-item.queries';
import { families, fullId, subjects } from './full-values';

/** A list that {@link fillLists} fills, with common and rare values of each of its filters. */
export interface ListCase {
  path: string;
  list: AnyList;
  query: new () => ListQuery;
  filters: object[];
  /** Keywords: common, usual and rare ones, one of two words, and one that no record contains. */
  keywords: string[];
}

/** Every list of a tenant. The values of its filters are those of existing rows. */
export function listCases(tenant: number): ListCase[] {
  const id = (kind: string, n: number) => fullId(kind, tenant, n);
  // From the lists of words that fill the rows, in which the first words are the most common.
  const [name, subject, usual] = [families[300], subjects[300], subjects[60]];
  // Everybody has an address at example.com.
  const names = [name, `john ${name}`, `example ${name}`, 'jones', 'l', 'nobody'];
  const words = [subject, `${usual} ${subject}`, usual, 'l', 'nobody'];
  const active = [{ state: 1 }, { state: 2 }];
  return [
    {
      path: 'entities',
      list: entities,
      query: EntitiesQuery,
      keywords: [...names, `${name} 77`, 'jones7@example.com'],
      filters: [
        { entityType: 'Organisation' },
        { roleId: id('role', 1) },
        { roleId: id('role', 3) },
        { roleId: id('role', 50) },
        { entityType: 'Organisation', roleId: id('role', 50) },
      ],
    },
    {
      path: 'clients',
      list: clients,
      query: ClientsQuery,
      keywords: [...names, 'c77', 'mary c77'],
      filters: [{ state: 1 }, { state: 0 }, { entityId: id('entity', 77) }],
    },
    {
      path: 'employees',
      list: employees,
      query: EmployeesQuery,
      keywords: [...names, 'clerk jones'],
      filters: [
        ...active,
        { divisionId: id('division', 3) },
        { isFeeEarner: false },
        { entityId: id('entity', 77) },
      ],
    },
    {
      path: 'suppliers',
      list: suppliers,
      query: SuppliersQuery,
      keywords: names,
      filters: [...active, { entityId: id('entity', 77) }],
    },
    { path: 'divisions', list: divisions, query: DivisionsQuery, keywords: words, filters: active },
    {
      path: 'roles',
      list: roles,
      query: RolesQuery,
      keywords: words,
      filters: [{ kind: 'Custom' }, { kind: 'System' }],
    },
    {
      path: 'mattertypes',
      list: matterTypes,
      query: MatterTypesQuery,
      keywords: words,
      filters: [...active, { parentId: id('mattertype', 7) }],
    },
    {
      path: 'tasktypes',
      list: taskTypes,
      query: TaskTypesQuery,
      keywords: words,
      filters: [...active, { itemType: 1 }, { itemType: 0 }, { phaseCode: 'L77' }],
    },
    {
      path: 'taxcodes',
      list: taxCodes,
      query: TaxCodesQuery,
      keywords: words,
      filters: [{ scheme: 'VAT' }, { scheme: 'GST' }, { category: 'Zero' }],
    },
    {
      path: 'disbursementcodes',
      list: disbursementCodes,
      query: DisbursementCodesQuery,
      keywords: words,
      filters: [
        ...active,
        { kind: 'Incurred' },
        { taxCodeId: id('taxcode', 7) },
        { supplierId: id('supplier', 77) },
      ],
    },
    {
      path: 'ratesets',
      list: rateSets,
      query: RateSetsQuery,
      keywords: words,
      filters: [{ isDefault: true }, { isDefault: false }],
    },
    {
      path: 'matters',
      list: matters,
      query: MattersQuery,
      keywords: [...words, 'm77', 'jones', name, `${name} ${usual}`, `example ${usual}`],
      filters: [
        { state: 1 },
        { state: 3 },
        { clientId: id('client', 1) },
        { divisionId: id('division', 3) },
        { matterTypeId: id('mattertype', 7) },
        { responsiblePersonId: id('employee', 77) },
        { responsiblePersonId: id('employee', 77), state: 1 },
      ],
    },
    {
      path: 'applicablerates',
      list: applicableRates,
      query: ApplicableRatesQuery,
      keywords: ['senior', 'nobody'],
      filters: [
        { scope: 'Client' },
        { matterId: id('matter', 77) },
        { clientId: id('client', 77) },
        { employeeId: id('employee', 77) },
        { taskTypeId: id('tasktype', 77) },
      ],
    },
    {
      path: 'workitems',
      list: workItems,
      query: WorkItemsQuery,
      keywords: [...words, 'm77', `m77 ${usual}`],
      filters: [
        { matterId: id('matter', 77) },
        { employeeId: id('employee', 77) },
        { state: 1 },
        { state: 3 },
        { itemType: 0 },
        { itemType: 1 },
        { entryDateFrom: '2025-03-01T00:00:00Z', entryDateTo: '2025-03-31T00:00:00Z' },
        { entryDateTo: '2024-02-29T00:00:00Z', state: 0 },
      ],
    },
    {
      path: 'costrecoveries',
      list: costRecoveries,
      query: CostRecoveriesQuery,
      keywords: words,
      filters: [
        { matterId: id('matter', 77) },
        { disbursementCodeId: id('disbursementcode', 7) },
        { supplierId: id('supplier', 77) },
        { kind: 'Incurred' },
        { kind: 'Anticipated' },
        { state: 1 },
        { state: 3 },
        { entryDateFrom: '2025-03-01T00:00:00Z', entryDateTo: '2025-03-31T00:00:00Z' },
        { entryDateTo: '2024-02-29T00:00:00Z', state: 0 },
      ],
    },
    {
      path: 'invoices',
      list: invoices,
      query: InvoicesQuery,
      keywords: [...names, '77'],
      filters: [
        { clientId: id('client', 77) },
        { matterId: id('matter', 77) },
        { state: 0 },
        { state: 3 },
        { state: 5 },
        { issueDateFrom: '2025-03-01', issueDateTo: '2025-03-31' },
      ],
    },
    {
      path: 'documentcollections',
      list: documentCollections,
      query: DocumentCollectionsQuery,
      keywords: words,
      filters: [{ subjectId: id('matter', 77) }, { parentId: id('documentcollection', 7) }],
    },
    {
      path: 'documents',
      list: documents,
      query: DocumentsQuery,
      keywords: words,
      filters: [
        { documentCollectionId: id('documentcollection', 77) },
        { subjectId: id('matter', 77) },
        { subjectId: id('matter', 77), documentCollectionId: id('documentcollection', 77) },
      ],
    },
  ];
}
