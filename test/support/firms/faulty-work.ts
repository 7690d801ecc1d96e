import { MATTER, type Planter } from './faulty-planter';

/** Plants mistakes in matters, work and costs that have nothing to do with invoices. */
export async function plantWork(planter: Planter): Promise<void> {
  await plantMatters(planter);
  await plantItems(planter);
  await plantCosts(planter);
}

async function plantMatters(planter: Planter): Promise<void> {
  const closed = { State: 'Closed', DateClosed: '2025-05-01T17:00:00' };
  await planter.matter('F-ENDLESS', { State: 'Closed' });
  planter.expect('wrong_state', 'Matter', 'F-ENDLESS', 'DateClosed');
  await planter.matter('F-ENDED', { DateClosed: '2025-05-01T17:00:00' });
  planter.expect('unused', 'Matter', 'F-ENDED', 'DateClosed');
  await planter.matter('F-REVERSED', { ...closed, DateClosed: '2024-05-01T17:00:00' });
  planter.expect('period_reversed', 'Matter', 'F-REVERSED', 'DateClosed');
  // In London this is half an hour into the day after the cutover.
  await planter.matter('F-LATER', { DateOpened: '2026-01-01T00:30:00' });
  planter.expect('after_cutover', 'Matter', 'F-LATER', 'DateOpened');

  await planter.newClient('F-GONE', { State: 'Inactive' });
  await planter.matter('F-LEFT', { ClientId: 'F-GONE' });
  planter.expect('wrong_state', 'Matter', 'F-LEFT', 'ClientId');
  await planter.newClient('F-NEW', { State: 'New' });
  await planter.matter('F-NEVER', { ...closed, ClientId: 'F-NEW' });
  planter.expect('wrong_state', 'Matter', 'F-NEVER', 'ClientId');

  await planter.matter('F-CLOSED', closed);
  await planter.work('F-OPEN-WORK', { MatterId: 'F-CLOSED' });
  planter.expect('wrong_state', 'WorkItem', 'F-OPEN-WORK', 'State');
  await planter.cost('F-OPEN-COST', { MatterId: 'F-CLOSED', State: 'Finalised' });
  planter.expect('wrong_state', 'CostRecovery', 'F-OPEN-COST', 'State');
  await planter.invoice('F-OPEN-DRAFT', { MatterId: 'F-CLOSED', State: 'Draft', Number: null });
  planter.expect('wrong_state', 'Invoice', 'F-OPEN-DRAFT', 'State');
  // None of these items keeps a matter open.
  await planter.work('F-FREE', { MatterId: 'F-CLOSED', IsBillable: false });
  await planter.work('F-WORTHLESS', { MatterId: 'F-CLOSED', Rate: 0 });
  await planter.cost('F-EXPECTED', { MatterId: 'F-CLOSED', Kind: 'Anticipated' });
}

async function plantItems(planter: Planter): Promise<void> {
  await planter.work('F-TICKLESS', { DurationTicks: null, Units: 1 });
  planter.expect('wrong_kind', 'WorkItem', 'F-TICKLESS', 'DurationTicks');
  await planter.work('F-UNITS', { Units: 12 });
  planter.expect('units_differ', 'WorkItem', 'F-UNITS', 'Units');
  // 9.5 units of six minutes, which may be rounded up, rounded down, or kept.
  for (const [index, units] of [10, 9, 9.5].entries())
    await planter.work(`F-BROKEN-${index}`, { DurationTicks: 34_200_000_000, Units: units });
  await planter.work('F-UNWRITTEN', { State: 'WrittenOff' });
  planter.expect('wrong_state', 'WorkItem', 'F-UNWRITTEN', 'WriteOffDate');
  await planter.work('F-WRITTEN', { WriteOffDate: '2025-04-01' });
  planter.expect('unused', 'WorkItem', 'F-WRITTEN', 'WriteOffDate');
  await planter.work('F-LATE', { EntryDate: '2026-01-05T10:00:00' });
  planter.expect('after_cutover', 'WorkItem', 'F-LATE', 'EntryDate');
  await planter.work('F-UNBILLED', { State: 'Billed' });
  planter.expect('wrong_state', 'WorkItem', 'F-UNBILLED', 'State');
  await planter.work('F-ON-NONE', { MatterId: null, IsBillable: false });
}

async function plantCosts(planter: Planter): Promise<void> {
  await planter.cost('F-UNSUPPLIED', { Kind: 'Incurred' });
  planter.expect('wrong_kind', 'CostRecovery', 'F-UNSUPPLIED', 'SupplierId');
  await planter.cost('F-UNSUITED', { DisbursementCodeId: 'DISB-1', Kind: 'Anticipated', MatterId: MATTER });
  planter.expect('wrong_kind', 'CostRecovery', 'F-UNSUITED', 'Kind');
  await planter.cost('F-COST-UNBILLED', { State: 'Billed' });
  planter.expect('wrong_state', 'CostRecovery', 'F-COST-UNBILLED', 'State');
}
