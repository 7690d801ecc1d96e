import type { Folded } from '#event-store/events';
import { invalid } from '#kernel/errors';
import { type DecimalText, decimal, numberGiven, roundMoney, text } from '#kernel/money';
import type { AmountInput } from '#platform/http/input/amount-field';
import { LARGEST_AMOUNT, LARGEST_UNITS } from '#platform/http/input/fields';
import { amountGiven } from '../billable/amount-given';
import { type BillableState, left } from '../billable/billable';
import type { Portion } from '../billable/billable.events';
import { requireMinorUnits } from '../billable/billable.write-off';
import { referred } from '../records/record';
import { isTimed, timedAmount } from '../work-items/work-item.lookup';
import { MAX_LINES } from './invoice';
import type { InvoiceFields, InvoiceLine, LineKind } from './invoice.events';
import type { LineInput } from './invoice.input';
import { definitionOf, isCost, isWork, type Sources } from './invoice.sources';

type Of = Pick<InvoiceFields, 'matterId' | 'currency'>;

/** The kinds of line that can charge a record of each kind. */
const chargedBy: Record<'workitem' | 'costrecovery', readonly LineKind[]> = {
  workitem: ['Fee'],
  costrecovery: ['CostRecovery', 'Disbursement'],
};

/**
 * Converts lines of a request to those of the invoice. What a line leaves out is taken from the record that it charges:
 * by default the line charges all that remains of it.
 * @param last the id of the invoice's latest line
 * @param held the other lines of the invoice
 * @param first index of the first input within the request, for the pointers of errors
 * @throws DomainError `too_many_lines`, `line_not_found`, `source_twice`, `workitem_not_found`,
 *   `costrecovery_not_found`, `other_matter`, `not_billable`, `line_kind_mismatch`, `currency_mismatch`,
 *   `amount_required`, `negative_amount`, `too_precise`, `amount_too_large`, `units_too_large`, `text_only` (422)
 */
export function linesFrom(
  inputs: readonly LineInput[],
  of: Of,
  sources: Sources,
  last: number,
  held: readonly InvoiceLine[],
  first = 0,
): InvoiceLine[] {
  if (held.length + inputs.length > MAX_LINES)
    throw invalid('too_many_lines', `An invoice has at most ${MAX_LINES} lines.`, 'lines');
  const charged = new Set(held.map(({ sourceId }) => sourceId));
  return inputs.map((input, index) => {
    const at = `lines/${first + index}`;
    const { sourceId = null } = input;
    if (input.id != null)
      throw invalid('line_not_found', `${at}/id: the invoice has no such line to replace.`, `${at}/id`);
    if (sourceId !== null && charged.has(sourceId))
      throw invalid('source_twice', `${at}/sourceId: another line charges it.`, `${at}/sourceId`);
    charged.add(sourceId);
    return lineFrom(input, of, sources, last + 1 + index, at);
  });
}

function lineFrom(input: LineInput, of: Of, sources: Sources, id: number, at: string): InvoiceLine {
  const { kind, sourceId = null, description = null } = input;
  if (kind === 'Text') {
    refuseCharge(input, at);
    return { id, kind, sourceId: null, description, units: null, rate: null, amount: '0', taxCodeId: null };
  }
  const source = sourceId === null ? undefined : sourceOf(sourceId, kind, of, sources, at);
  const charge = source ? chargeOf(source, input, of, at) : ownCharge(input, of, at);
  requireBounds(charge, at);
  if (kind !== 'Discount' && decimal(charge.amount).isNegative())
    throw invalid('negative_amount', `${at}/amount: only a Discount can be negative.`, `${at}/amount`);
  return {
    id,
    kind,
    sourceId,
    description: description ?? (source ? descriptionOf(source) : null),
    ...charge,
    amount: kind === 'Discount' ? text(decimal(charge.amount).abs().neg().add(0)) : charge.amount,
    taxCodeId: input.taxCodeId ?? (source && isCost(source) ? source.data.taxCodeId : null),
  };
}

/** The record that a line charges. Refuses one that the line cannot charge. */
function sourceOf(sourceId: string, kind: LineKind, of: Of, sources: Sources, at: string) {
  const field = `${at}/sourceId`;
  const definition = definitionOf(sourceId);
  if (!chargedBy[definition.kind as keyof typeof chargedBy].includes(kind))
    throw invalid(
      'line_kind_mismatch',
      `${field}: a ${kind} line does not charge a ${definition.noun}.`,
      field,
    );
  const source = referred(sources.get(sourceId), definition.kind, field);
  if (source.data.matterId !== of.matterId)
    throw invalid('other_matter', `${field}: the ${definition.noun} is not on the invoice's matter.`, field);
  if (!definition.isBillable(source.data))
    throw invalid('not_billable', `${field}: the ${definition.noun} cannot be billed.`, field);
  if (definition.currency(source.data) !== of.currency)
    throw invalid('currency_mismatch', `${field}: the invoice is in ${of.currency}.`, field);
  return source;
}

type Charge = Pick<InvoiceLine, 'units' | 'rate' | 'amount'>;

/**
 * The amount, units and rate of a line that charges a record. With an amount alone, the units are pro rata, to 4
 * decimals. With units alone, the amount is pro rata. With a rate but no amount, the amount is units × rate.
 */
function chargeOf(source: Folded<BillableState>, input: LineInput, of: Of, at: string): Charge {
  const remains = left(source.data);
  const units = numberGiven(input.units);
  const rate = amountGiven(input.rate, of.currency, `${at}/rate`);
  const amount = amountOf(input.amount, of, `${at}/amount`);
  const shownRate = rate ?? rateOf(source);
  if (amount !== null) return { amount, units: units ?? proRata(remains, amount), rate: shownRate };
  const counted = units ?? remains.units;
  if (rate !== null) {
    const exact =
      isWork(source) && isTimed(source.data)
        ? timedAmount(counted, source.data.minutesPerUnit, rate)
        : decimal(counted).mul(rate);
    return { amount: text(roundMoney(exact, of.currency)), units: counted, rate };
  }
  if (units === null || decimal(remains.units).isZero())
    return { amount: remains.amount, units: counted, rate: shownRate };
  const part = decimal(remains.amount).mul(units).div(remains.units);
  return { amount: text(roundMoney(part, of.currency)), units, rate: shownRate };
}

/** The charge of a line without a source: the given amount, or units × rate. */
function ownCharge(input: LineInput, of: Of, at: string): Charge {
  const units = numberGiven(input.units);
  const rate = amountGiven(input.rate, of.currency, `${at}/rate`);
  const amount = amountOf(input.amount, of, `${at}/amount`);
  if (amount !== null) return { amount, units, rate };
  if (rate === null)
    throw invalid(
      'amount_required',
      `${at}/amount: a line without a sourceId needs an amount or a rate.`,
      `${at}/amount`,
    );
  return { amount: text(roundMoney(decimal(rate).mul(units ?? 1), of.currency)), units: units ?? '1', rate };
}

/**
 * Keeps computed values within the limits of a request's fields: above them a JSON number loses pennies.
 * @throws DomainError `amount_too_large`, `units_too_large` (422)
 */
function requireBounds({ amount, units }: Charge, at: string): void {
  if (decimal(amount).abs().gt(LARGEST_AMOUNT))
    throw invalid(
      'amount_too_large',
      `${at}/amount: it comes to ${amount}; at most ${LARGEST_AMOUNT} can be charged.`,
      `${at}/amount`,
    );
  if (units !== null && decimal(units).gt(LARGEST_UNITS))
    throw invalid(
      'units_too_large',
      `${at}/units: in proportion to the amount they are ${units}, and at most ${LARGEST_UNITS} can be charged; give the units.`,
      `${at}/units`,
    );
}

function refuseCharge({ sourceId, units, rate, amount, taxCodeId }: LineInput, at: string): void {
  const fields = { sourceId, units, rate, amount, taxCodeId };
  for (const [name, value] of Object.entries(fields))
    if (value !== null && value !== undefined && !isNothing(value))
      throw invalid('text_only', `${at}/${name}: a line of text has only its description.`, `${at}/${name}`);
}

/** Whether a value is a zero amount, as GET shows it for a line of text. */
function isNothing(value: LineInput[keyof LineInput]): boolean {
  return value === 0 || (typeof value === 'object' && value?.Amount === 0);
}

function proRata({ amount: whole, units }: Portion, amount: DecimalText): DecimalText {
  if (decimal(whole).isZero()) return units;
  return text(decimal(units).mul(amount).div(whole).toDecimalPlaces(4));
}

function rateOf(source: Folded<BillableState>): DecimalText | null {
  if (isWork(source)) return source.data.rate.amount;
  return isCost(source) ? source.data.unitAmount.amount : null;
}

function descriptionOf(source: Folded<BillableState>): string | null {
  if (isWork(source)) return source.data.title;
  return isCost(source) ? source.data.description : null;
}

/**
 * Parses an amount of a request, which must be in the invoice's currency and have no fractions of the minor unit.
 * @throws DomainError `currency_mismatch`, `too_precise` (422)
 */
export function amountOf(
  value: AmountInput | number | null | undefined,
  { currency }: Pick<InvoiceFields, 'currency'>,
  field: string,
): DecimalText | null {
  const amount = amountGiven(value, currency, field);
  if (amount !== null) requireMinorUnits(decimal(amount), currency, field);
  return amount;
}
