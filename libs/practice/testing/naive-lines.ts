import type { Decimal } from 'decimal.js';
import type { NaiveLedger } from './naive-ledger';
import { exact, type Part, pence, zero } from './naive-money';
import { isReserved, type LedgerLine, type LineAsk, type Refusals } from './naive-records';

/**
 * Converts a requested line to a line of an invoice.
 * @param refusals the list to which the codes of the rules that refuse the line are added
 * @see resources.md: Invoices
 */
export function lineOf(
  ledger: NaiveLedger,
  ask: LineAsk,
  of: { id: string; matterId: string },
  number: number,
  refusals: Refusals,
): LedgerLine {
  const { kind, sourceId = null, units, rate, amount, taxCode = null } = ask;
  const own = { id: number, kind, sourceId };
  if (kind === 'Text') {
    if ([ask.sourceId, units, rate, amount, ask.taxCode].some((value) => value !== undefined))
      refusals.push('text_only');
    return { ...own, units: null, amount: zero, taxCode: null };
  }
  if (amount !== undefined && !pence(exact(amount)).eq(amount)) refusals.push('too_precise');
  if (amount !== undefined && amount < 0 && kind !== 'Discount') refusals.push('negative_amount');
  const charge = sourceId === null ? chargeOfOwn(ask) : chargeOf(ledger, ask, of, refusals);
  if (!charge) refusals.push('amount_required');
  const value = charge?.amount ?? zero;
  const source = sourceId === null ? undefined : ledger.items.get(sourceId);
  return {
    ...own,
    units: charge?.units ?? null,
    taxCode: taxCode ?? source?.taxCode ?? null,
    amount: kind === 'Discount' ? value.abs().mul(-1) : value,
  };
}

function chargeOf(
  ledger: NaiveLedger,
  { kind, sourceId, units, rate, amount }: LineAsk,
  of: { id: string; matterId: string },
  refusals: Refusals,
): Part {
  const isWork = sourceId!.startsWith('workitem_');
  const kinds = isWork ? ['Fee'] : ['CostRecovery', 'Disbursement'];
  if (!kinds.includes(kind)) refusals.push('line_kind_mismatch');
  const item = ledger.live(sourceId!);
  if (!item) refusals.push(isWork ? 'workitem_not_found' : 'costrecovery_not_found');
  if (!item) return { amount: zero, units: zero };
  if (item.matterId !== of.matterId) refusals.push('other_matter');
  if (!item.billable) refusals.push('not_billable');
  if (isReserved(item) && item.invoiceId !== of.id) refusals.push('reserved');
  else if (item.state === 'Billed') refusals.push('already_billed');
  else if (item.state !== 'Finalised') refusals.push('not_finalised');
  const { left } = item;
  const counted = units === undefined ? left.units : exact(units);
  if (amount !== undefined) {
    const share = left.amount.isZero() ? left.units : left.units.mul(amount).div(left.amount);
    return { amount: exact(amount), units: units === undefined ? share.toDP(4) : counted };
  }
  if (rate !== undefined) {
    const charged = counted.mul(rate);
    return { amount: pence(item.timed ? charged.mul(item.minutesPerUnit).div(60) : charged), units: counted };
  }
  if (units === undefined || left.units.isZero()) return { amount: left.amount, units: counted };
  return { amount: pence(left.amount.mul(units).div(left.units)), units: counted };
}

function chargeOfOwn({ units, rate, amount }: LineAsk): { amount: Decimal; units: Decimal | null } | null {
  if (amount !== undefined)
    return { amount: exact(amount), units: units === undefined ? null : exact(units) };
  if (rate === undefined) return null;
  return { amount: pence(exact(rate).mul(units ?? 1)), units: exact(units ?? 1) };
}
