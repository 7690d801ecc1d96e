import { amountGiven } from '../billable/amount-given';
import type { InvoiceState } from './invoice';
import type { InvoiceLine } from './invoice.events';
import type { LineInput } from './invoice.input';
import { taxCodeOf } from './invoice.totals';

type Shown = Pick<InvoiceState, 'lines' | 'taxation' | 'currency'>;

/** What becomes of an invoice's lines when others are put in their place. */
export interface Replacement {
  /** The lines that go: all from the first that is not as it was. */
  gone: InvoiceLine[];
  /** What comes in their place, without the ids of lines that go. */
  inputs: LineInput[];
}

/**
 * Compares lines of a request with those of the invoice, as GET shows them, so that what was shown can be sent back.
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
    // Each stands for one line.
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
