import { type Cells, CLIENT, MATTER, type Planter } from './faulty-planter';

/** Plants mistakes in people, rates and control totals, without other tables. */
export async function plantRecords(planter: Planter): Promise<void> {
  await plantPeople(planter);
  await plantTaxes(planter);
  await plantRates(planter);
  await plantControlTotals(planter);
}

async function plantPeople(planter: Planter): Promise<void> {
  await planter.add('Entity', 'F-NAMELESS', { EntityType: 'Individual', FirstName: 'Ada' });
  planter.expect('wrong_kind', 'Entity', 'F-NAMELESS', 'LastName');
  await planter.add('Entity', 'F-NAMED', {
    EntityType: 'Individual',
    LastName: 'Lovelace',
    Name: 'Lovelace Ltd',
  });
  planter.expect('wrong_kind', 'Entity', 'F-NAMED', 'Name');
  await planter.add('Entity', 'F-FIRMLESS', { EntityType: 'Organisation' });
  planter.expect('wrong_kind', 'Entity', 'F-FIRMLESS', 'Name');
  await planter.entity('F-PERSONAL', { FirstName: 'Ada' });
  planter.expect('wrong_kind', 'Entity', 'F-PERSONAL', 'LastName');
}

async function plantTaxes(planter: Planter): Promise<void> {
  const code = (id: string, category: string) =>
    planter.add('TaxCode', id, { Code: id, Name: id, Scheme: 'VAT', Category: category });
  const rate = (id: string, taxCode: string, from: string, to: string | null) =>
    planter.add('TaxRate', id, { TaxCodeId: taxCode, Percent: 5, FromDate: from, ToDate: to });
  await code('F-RATELESS', 'Reduced');
  planter.expect('wrong_kind', 'TaxCode', 'F-RATELESS', 'Category');
  await code('F-RATED', 'Zero');
  await rate('F-RATED/1', 'F-RATED', '2020-01-01', null);
  planter.expect('wrong_kind', 'TaxCode', 'F-RATED', 'Category');
  await code('F-OVER', 'Reduced');
  await rate('F-OVER/1', 'F-OVER', '2020-01-01', null);
  await rate('F-OVER/2', 'F-OVER', '2021-01-01', '2021-12-31');
  await rate('F-OVER/3', 'F-OVER', '2022-12-31', '2022-01-01');
  planter.expect('rates_overlap', 'TaxRate', 'F-OVER/2', 'FromDate');
  planter.expect('period_reversed', 'TaxRate', 'F-OVER/3', 'ToDate');
}

async function plantRates(planter: Planter): Promise<void> {
  for (const id of ['F-RSE-1', 'F-RSE-2']) {
    await planter.add('RateSetEntry', id, { RateSetId: 'RS-2', JobTitle: 'Judge', Rate: 10, Per: 'Hour' });
    planter.expect('duplicate_entry', 'RateSetEntry', id, null);
  }
  const agreed = (id: string, scope: string, scopeId: string, from: string, to: string | null) =>
    planter.add('ApplicableRate', id, {
      Scope: scope,
      ScopeId: scopeId,
      Rate: 10,
      Per: 'Hour',
      EffectiveFrom: from,
      EffectiveTo: to,
    });
  await agreed('F-AR-1', 'Client', CLIENT, '2025-01-01', '2025-06-30');
  await agreed('F-AR-2', 'Client', CLIENT, '2025-06-30', null);
  planter.expect('rates_overlap', 'ApplicableRate', 'F-AR-2', 'EffectiveFrom');
  await agreed('F-AR-3', 'Client', MATTER, '2024-01-01', null);
  planter.expect('wrong_kind', 'ApplicableRate', 'F-AR-3', 'ScopeId');
  await agreed('F-AR-4', 'Matter', MATTER, '2024-12-31', '2024-01-01');
  planter.expect('period_reversed', 'ApplicableRate', 'F-AR-4', 'EffectiveTo');
}

async function plantControlTotals(planter: Planter): Promise<void> {
  const total = (id: string, measure: string, groupBy: string, key: string | null, cells: Cells = {}) =>
    planter.add('ControlTotal', id, {
      Measure: measure,
      GroupBy: groupBy,
      GroupKey: key,
      Count: 1,
      ...cells,
    });
  await total('F-CT-1', 'Debtors', 'FeeEarner', 'EMP-1');
  planter.expect('wrong_kind', 'ControlTotal', 'F-CT-1', 'GroupBy');
  await total('F-CT-2', 'Work', 'Matter', null);
  planter.expect('wrong_kind', 'ControlTotal', 'F-CT-2', 'GroupKey');
  await total('F-CT-3', 'Rows', 'Table', 'Invoices', { Amount: '1.00' });
  planter.expect('not_found', 'ControlTotal', 'F-CT-3', 'GroupKey');
  planter.expect('unused', 'ControlTotal', 'F-CT-3', 'Amount');
  for (const id of ['F-CT-4', 'F-CT-5']) {
    await total(id, 'Work', 'Matter', MATTER);
    planter.expect('duplicate_entry', 'ControlTotal', id, null);
  }
}
