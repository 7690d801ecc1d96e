import type { Planter } from './faulty-planter';

/** Plants mistakes in single cells, in keys and in references. */
export async function plantCells(planter: Planter): Promise<void> {
  await plantValues(planter);
  await plantKeys(planter);
  await plantReferences(planter);
  await plantSettings(planter);
}

async function plantValues(planter: Planter): Promise<void> {
  await planter.work('F-NOBODY', { EmployeeId: null });
  planter.expect('required', 'WorkItem', 'F-NOBODY', 'EmployeeId');
  await planter.add('Division', 'F-BLANK', { Name: '  ' });
  planter.expect('required', 'Division', 'F-BLANK', 'Name');
  await planter.add('Division', null, { Name: 'Without a key' });
  planter.expect('required', 'Division', null, 'ImportId');

  await planter.entity('F-BLANK-CITY', { City: ' ' });
  planter.expect('invalid_value', 'Entity', 'F-BLANK-CITY', 'City');
  await planter.entity('F-EMAIL', { Email: 'nobody.example.com' });
  planter.expect('invalid_value', 'Entity', 'F-EMAIL', 'Email');
  for (const [id, code] of [
    ['F-PADDED', 'PAD\u00a0'],
    ['F-APART', 'CAFE\u0301'],
  ] as const) {
    await planter.add('TaskType', id, { Code: code, Name: id, IsBillable: true });
    planter.expect('invalid_value', 'TaskType', id, 'Code');
  }
  await planter.matter('F-INDENTED', { MatterNumber: '\tF/1' });
  planter.expect('invalid_value', 'Matter', 'F-INDENTED', 'MatterNumber');

  await planter.entity('F-BROKEN', { Name: 'Mill\ufffd Ltd', City: 'Leed\ufffd' });
  planter.expect('replaced', 'Entity', 'F-BROKEN', null);

  await planter.work('F-RATE', { Rate: -1 });
  planter.expect('out_of_range', 'WorkItem', 'F-RATE', 'Rate');
  await planter.work('F-TICKS', { DurationTicks: -5 });
  planter.expect('out_of_range', 'WorkItem', 'F-TICKS', 'DurationTicks');
  await planter.add('TaxRate', 'F-PERCENT', {
    TaxCodeId: 'TAX-2',
    Percent: 120,
    FromDate: '1980-01-01',
    ToDate: '1980-12-31',
  });
  planter.expect('out_of_range', 'TaxRate', 'F-PERCENT', 'Percent');
  await planter.matter('F-ANCIENT', { DateOpened: '1850-01-01T00:00:00' });
  planter.expect('out_of_range', 'Matter', 'F-ANCIENT', 'DateOpened');
  await planter.cost('F-DEAR', { Quantity: 9_000_000, UnitAmount: 99_999_999 });
  planter.expect('out_of_range', 'CostRecovery', 'F-DEAR', 'Quantity');

  await planter.work('F-DEAR-WORK', { ItemType: 'Itemised', Units: 9_000_000, Rate: 99_999 });
  planter.expect('out_of_range', 'WorkItem', 'F-DEAR-WORK', 'Units');

  await planter.work('F-MOST', { DurationTicks: '9223372036854775807', Units: 1 });
  planter.expect('out_of_range', 'WorkItem', 'F-MOST', 'DurationTicks');

  await planter.matter('F-LONG', { Title: 'x'.repeat(501) });
  planter.expect('too_long', 'Matter', 'F-LONG', 'Title');
  await planter.work('F-CHOICE', { State: 'Open' });
  planter.expect('invalid_choice', 'WorkItem', 'F-CHOICE', 'State');
  await planter.entity('F-XYZ', { Currency: 'XYZ' });
  planter.expect('unknown_currency', 'Entity', 'F-XYZ', 'Currency');
  await planter.matter('F-USD', { Currency: 'USD' });
  planter.expect('currency_differs', 'Matter', 'F-USD', 'Currency');
  await planter.work('F-EUR', { RateCurrency: 'EUR' });
  planter.expect('currency_differs', 'WorkItem', 'F-EUR', 'RateCurrency');
}

async function plantKeys(planter: Planter): Promise<void> {
  await planter.add('Division', 'F-TWICE', { Name: 'The one' });
  await planter.add('Division', 'F-TWICE', { Name: 'The other' });
  planter.expect('duplicate_key', 'Division', 'F-TWICE', 'ImportId');
  const alike = `division_${'0a'.repeat(16)}`;
  await planter.add('Division', alike, { Name: 'Like an id' });
  planter.expect('duplicate_key', 'Division', alike, 'ImportId');

  for (const id of ['F-TASK-1', 'F-TASK-2']) {
    await planter.add('TaskType', id, { Code: 'F-SAME', Name: id, IsBillable: true });
    planter.expect('duplicate_code', 'TaskType', id, 'Code');
  }
  for (const [id, name] of [
    ['F-ROLE-1', 'Judge'],
    ['F-ROLE-2', '\u00a0judge\t'],
  ] as const) {
    await planter.add('Role', id, { Name: name });
    planter.expect('duplicate_code', 'Role', id, 'Name');
  }
  await planter.entity('F-ONE');
  for (const id of ['F-SUP-1', 'F-SUP-2']) {
    await planter.add('Supplier', id, { EntityId: 'F-ONE', State: 'Active' });
    planter.expect('duplicate_code', 'Supplier', id, 'EntityId');
  }
  await planter.add('RateSet', 'F-RS', { Name: 'Another default', Currency: 'GBP', IsDefault: true });
  for (const id of ['RS-1', 'F-RS']) planter.expect('duplicate_code', 'RateSet', id, 'IsDefault');

  // Names and codes that every tenant already has.
  await planter.add('Role', 'F-ROLE-3', { Name: 'CLIENT' });
  planter.expect('code_taken', 'Role', 'F-ROLE-3', 'Name');
  await planter.add('TaxCode', 'F-RED', { Code: 'RED', Name: 'Taken', Scheme: 'VAT', Category: 'Zero' });
  planter.expect('code_taken', 'TaxCode', 'F-RED', 'Code');
}

async function plantReferences(planter: Planter): Promise<void> {
  await planter.work('F-TASKLESS', { TaskTypeId: 'F-NOWHERE' });
  planter.expect('not_found', 'WorkItem', 'F-TASKLESS', 'TaskTypeId');
  await planter.matter('F-CLIENTLESS', { ClientId: `client_${'0b'.repeat(16)}` });
  planter.expect('not_found', 'Matter', 'F-CLIENTLESS', 'ClientId');
  const rate = { Percent: 5, FromDate: '1980-01-01', ToDate: '1980-12-31' };
  await planter.add('TaxRate', 'F-FOREIGN', { TaxCodeId: `taxcode_${'0c'.repeat(16)}`, ...rate });
  planter.expect('part_of_existing', 'TaxRate', 'F-FOREIGN', 'TaxCodeId');

  const types = [
    ['F-MT-1', 'F-MT-2', 'cycle'],
    ['F-MT-2', 'F-MT-1', 'cycle'],
    ['F-MT-3', 'F-MT-3', 'cycle'],
    ['F-MT-4', 'MT-10', 'too_deep'],
    // A circle of three.
    ['F-MT-5', 'F-MT-6', 'too_deep'],
    ['F-MT-6', 'F-MT-7', 'too_deep'],
    ['F-MT-7', 'F-MT-5', 'too_deep'],
  ] as const;
  for (const [id, parent, code] of types) {
    await planter.add('MatterType', id, { Name: id, ParentId: parent });
    planter.expect(code, 'MatterType', id, 'ParentId');
  }
}

async function plantSettings(planter: Planter): Promise<void> {
  await planter.change('Info', 'INFO', 'TimeZone', 'Europe/Paris');
  planter.expect('wrong_setting', 'Info', 'INFO', 'TimeZone');
  await planter.add('Info', 'F-INFO', {
    SchemaVersion: '1.0',
    SourceSystem: 'Ledger & Quill',
    ExtractedAtUtc: '2026-01-01T06:30:00',
    CutoverDate: '2025-12-31',
    BaseCurrency: 'GBP',
    TimeZone: 'Europe/London',
  });
  planter.expect('one_row', 'Info', null, null);
  await planter.add('TaxCode', 'F-GST', {
    Code: 'F-GST',
    Name: 'Elsewhere',
    Scheme: 'GST',
    Category: 'Zero',
  });
  planter.expect('wrong_setting', 'TaxCode', 'F-GST', 'Scheme');
}
