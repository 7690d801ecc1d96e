import type { EventStore } from '#event-store/event-store';
import { at } from '#event-store/load';
import type { Position } from '#event-store/position';
import type { Day } from '#kernel/zone';
import type { RequestContext } from '#platform/request-context';
import { TaxCode } from './tax-code';
import { markTaxRateUsed } from './tax-code.rates';

/**
 * Marks the tax rates that bulk-written invoices use, so that they cannot change.
 * @param charged first days of the rates, by the tax code's id
 * @returns the position of the last event; undefined when all were marked before
 */
export async function markChargedRates(
  store: EventStore,
  context: RequestContext,
  charged: ReadonlyMap<string, ReadonlySet<Day | null>>,
  source: string,
): Promise<Position | undefined> {
  let last: Position | undefined;
  for (const [id, days] of charged) {
    const { position } = await store.execute(
      context,
      async (work) => {
        const { code } = await work.load({ code: at(TaxCode, id) });
        const marks = [...days].flatMap((from) => markTaxRateUsed(code!.data, { percent: '0', from }));
        return work.change(TaxCode, code!, marks);
      },
      { source },
    );
    last = position ?? last;
  }
  return last;
}
