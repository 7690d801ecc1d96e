import type { Folded } from '#event-store/events';
import { at } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import type { DomainEvent } from '#kernel/decider';
import { kindOf } from '#kernel/ids';
import type { AnyBillable, BillableState } from '../billable/billable';
import { CostRecovery, type CostRecoveryState } from '../cost-recoveries/cost-recovery.lookup';
import { WorkItem, type WorkItemState } from '../work-items/work-item.lookup';
import type { InvoiceLine } from './invoice.events';

/** The work items and costs that lines charge, by id. */
export type Sources = Map<string, Folded<BillableState>>;

/** The definition of the record that a line charges. */
export function definitionOf(sourceId: string): AnyBillable {
  return kindOf(sourceId) === 'workitem' ? WorkItem : CostRecovery;
}

export function isWork(source: Folded<BillableState>): source is Folded<WorkItemState> {
  return kindOf(source.id) === 'workitem';
}

export function isCost(source: Folded<BillableState>): source is Folded<CostRecoveryState> {
  return kindOf(source.id) === 'costrecovery';
}

/** The ids of the records that lines charge. */
export function sourcesOf(lines: readonly { sourceId?: string | null }[]): string[] {
  return lines.flatMap(({ sourceId }) => sourceId ?? []);
}

/** Loads those of the given records that exist. */
export async function loadSourcesOf(work: UnitOfWork, ids: readonly string[]): Promise<Sources> {
  if (ids.length === 0) return new Map();
  const asks = Object.fromEntries(ids.map((id) => [id, at(definitionOf(id), id)]));
  const found: Record<string, Folded<BillableState> | undefined> = await work.load(asks);
  return new Map(Object.entries(found).flatMap(([id, source]) => (source ? [[id, source]] : [])));
}

/** Loads the records that an invoice's lines charge. */
export function loadSources(work: UnitOfWork, lines: readonly InvoiceLine[]): Promise<Sources> {
  return loadSourcesOf(work, sourcesOf(lines));
}

/** Changes each line's source, in the append of the invoice's own events. */
export function changeSources(
  work: UnitOfWork,
  lines: readonly InvoiceLine[],
  sources: Sources,
  decide: (definition: AnyBillable, state: BillableState, line: InvoiceLine) => DomainEvent[],
): void {
  for (const line of lines) {
    if (line.sourceId === null) continue;
    const definition = definitionOf(line.sourceId);
    const source = sources.get(line.sourceId)!;
    work.change(definition, source, decide(definition, source.data, line));
  }
}
