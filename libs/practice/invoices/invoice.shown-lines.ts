import { amountGiven } from '../billable/amount-given';
import type { InvoiceState } from './invoice';
import type { InvoiceLine } from './invoice.events';
import type { LineInput } from './invoice.input';
import { taxCodeOf } from './invoice.totals';

type Shown = Pick<InvoiceState, 'lines' | 'taxation' | 'currency'>;

/** The lines to remove from an invoice, and the inputs to add in their place. */
export interface Replacement {
  /** The lines to remove: all from the first one that differs. */
  gone: InvoiceLine[];
  /** The inputs that replace them, without the ids of removed lines. */
  inputs: LineInput[];
}

/**
 * Compares the lines of a request with those of the invoice as GET shows them, so that a client can send the shown
 * lines back unchanged.
 * @throws DomainError `currency_mismatch` (422)
 */
export function replacementOf(state: Shown, inputs: readonly LineInput[]): Replacement {
  const { lines } = state;
  let kept = 0;
  while (kept < lines.length && kept < inputs.length && isAsShown(state, lines[kept], inputs[kept], kept))
    kept += 1;
  const gone = lines.slice(kept);
  const known = new Map(gone.map((line) => [line.id, line]));
  const replaced = inputs.slice(kept).map((input) => {
    const line = known.get(input.id ?? 0);
    if (!line) return input;
    // Each id refers to a line only once.
    known.delete(line.id);
    const isDefault = line.taxCodeId === null && input.taxCodeId === taxCodeOf(line, state.taxation);
    return { ...input, id: null, ...(isDefault && { taxCodeId: null }) };
  });
  return { gone, inputs: replaced };
}

function isAsShown(
  { taxation, currency }: Shown,
  line: InvoiceLine,
  input: LineInput,
  index: number,
): boolean {
  const { id, kind, sourceId = null, description = null, units = null, taxCodeId = null } = input;
  const at = `lines/${index}`;
  return (
    id === line.id &&
    kind === line.kind &&
    sourceId === line.sourceId &&
    description === line.description &&
    units === numberOf(line.units) &&
    numberOf(amountGiven(input.rate, currency, `${at}/rate`)) === numberOf(line.rate) &&
    numberOf(amountGiven(input.amount, currency, `${at}/amount`)) === numberOf(line.amount) &&
    taxCodeId === taxCodeOf(line, taxation)
  );
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
