import { namesOf } from './openapi-names';

it.each([
  ['MattersWriteController', 'create', 'createMatter', 'Create a matter'],
  ['EntitiesReadController', 'list', 'listEntities', 'List entities'],
  ['EntitiesReadController', 'one', 'getEntity', 'Read an entity'],
  ['TaxCodesWriteController', 'update', 'updateTaxCode', 'Change a tax code'],
  ['TaxCodesWriteController', 'remove', 'deleteTaxCode', 'Delete a tax code'],
  ['TaxCodesReadController', 'history', 'getTaxCodeHistory', 'List the events of a tax code'],
  ['TenantsReadController', 'current', 'getTenant', "Read the caller's own tenant"],
  ['WorkItemsWriteController', 'writeOff', 'writeOffWorkItem', 'Write off a work item'],
  ['WorkItemsWriteController', 'finaliseMany', 'finaliseWorkItems', 'Finalise many work items'],
])('%s.%s is %s, "%s"', (controller, method, operationId, summary) => {
  expect(namesOf(controller, method)).toEqual({ operationId, summary });
});

it('leaves settings in the plural', () => {
  const { operationId } = namesOf('IntegrationSettingsWriteController', 'replace');
  expect(operationId).toBe('replaceIntegrationSettings');
});
