import type { BulkAppender } from '#event-store/append/append-bulk';
import type { Folded } from '#event-store/events';
import { at } from '#event-store/load';
import type { Loader } from '#event-store/loader';
import type { Position } from '#event-store/position';
import type { Id } from '#kernel/ids';
import type { Day } from '#kernel/zone';
import type { RequestContext } from '#platform/request-context';
import { TaxCode, type TaxCodeState } from './tax-code';
import { markTaxRateUsed } from './tax-code.rates';

/**
 * Marks the tax rates that bulk-written invoices use, so that they cannot change.
 * @param charged first days of the rates, by the tax code's id
 * @returns the position of the last event; undefined when all were marked before
 */
export async function markChargedRates(
  loader: Loader,
  bulk: BulkAppender,
  context: RequestContext,
  charged: ReadonlyMap<string, ReadonlySet<Day | null>>,
  source: string,
): Promise<Position | undefined> {
  const asks = [...charged.keys()].map((id) => at(TaxCode, id as Id));
  const codes = (await loader.load(context.tenant.id, asks)) as Folded<TaxCodeState>[];
  const streams = codes.map((before) => {
    const days = [...charged.get(before.id)!];
    const events = days.flatMap((from) => markTaxRateUsed(before.data, { percent: '0', from }));
    return { definition: TaxCode, id: before.id, before, events };
  });
  return bulk.append(context, streams, source);
}
