import type { Link } from '#kernel/decider';
import { invalid } from '#kernel/errors';
import { type DecimalText, decimal, type Money, roundMoney, text } from '#kernel/money';
import { LARGEST_AMOUNT } from '#platform/http/input/fields';
import {
  type BillableDefinition,
  type BillableState,
  BillableStatus,
  isUnbilled,
  moved,
} from '../billable/billable';
import type { DisbursementKind } from '../disbursement-codes/disbursement-code.events';
import { UNBILLED_COST, WORK } from '../matters/matter.lookup';
import { referenceKeys } from '../records/record';
import { type CostRecoveryEvent, type CostRecoveryFields, costRecoveryEvents } from './cost-recovery.events';

export interface CostRecoveryState extends BillableState, CostRecoveryFields {
  matterId: string;
}

function linksOf(state: CostRecoveryState): Link[] {
  if (state.isDeleted) return [];
  const links = [
    { kind: isUnbilled(CostRecovery, state) ? UNBILLED_COST : WORK, target: state.matterId },
    { kind: 'costrecovery_disbursementcode', target: state.disbursementCodeId },
    { kind: 'costrecovery_taxcode', target: state.taxCodeId },
  ];
  if (state.supplierId) links.push({ kind: 'costrecovery_supplier', target: state.supplierId });
  return links;
}

export const CostRecovery: BillableDefinition<CostRecoveryState> = {
  kind: 'costrecovery',
  name: 'CostRecovery',
  noun: 'cost recovery',
  foldVersion: 1,
  events: costRecoveryEvents,
  isDeleted: ({ isDeleted }) => isDeleted,
  links: linksOf,
  keys: (state) => referenceKeys('costrecovery', state),
  whole: ({ total, quantity }) => ({ amount: total, units: quantity }),
  currency: ({ unitAmount }) => unitAmount.currency,
  // An anticipated cost cannot be charged yet, and does not keep its matter open.
  isBillable: ({ kind }) => kind !== 'Anticipated',
  // Fee analysis covers only work items.
  dimensions: () => null,
  evolve(state, recorded) {
    const event = recorded as CostRecoveryEvent;
    switch (event.type) {
      case 'CostRecoveryCreated': {
        const { total, quantity } = event.data;
        // Written out, as in a work item, because another spread is slow.
        return {
          state: BillableStatus.Pending,
          invoiceId: null,
          settlement: null,
          isDeleted: false,
          remaining: total,
          remainingUnits: quantity,
          ...event.data,
        };
      }
      case 'CostRecoveryUpdated': {
        const after = { ...state!, ...event.data };
        // Only the value of a pending cost changes, and nothing of a pending cost is billed or written off.
        if (event.data.total === undefined && event.data.quantity === undefined) return after;
        return { ...after, remaining: after.total, remainingUnits: after.quantity };
      }
      case 'CostRecoveryDeleted':
        return { ...state!, isDeleted: true };
      default:
        return moved(state!, event.type.slice('CostRecovery'.length), event.data);
    }
  },
};

/**
 * The total of a cost, rounded half-up to the minor unit. Above the largest amount a JSON number loses pennies.
 * @throws DomainError `total_too_large` (422)
 * @see resources.md: Money
 */
export function totalOf(quantity: DecimalText, { amount, currency }: Money): DecimalText {
  const total = roundMoney(decimal(quantity).mul(amount), currency);
  if (total.gt(LARGEST_AMOUNT)) {
    const detail = `quantity: so many come to ${text(total)}, and a cost is at most ${LARGEST_AMOUNT}.`;
    throw invalid('total_too_large', detail, 'quantity');
  }
  return text(total);
}

/**
 * Refuses a disbursement code whose kind differs from the cost's. A code without a kind suits every cost.
 * @throws DomainError `disbursement_kind_mismatch` (422)
 */
export function requireSuitableCode(kind: DisbursementKind, suits: DisbursementKind | null): void {
  if (suits !== null && suits !== kind)
    throw invalid('disbursement_kind_mismatch', `kind: the disbursement code is for ${suits} only.`, 'kind');
}

/**
 * Requires a supplier for an incurred cost, because it was bought from somebody.
 * @throws DomainError `supplier_required` (422)
 */
export function requireSupplier(kind: DisbursementKind, supplierId: string | null): void {
  if (kind === 'Incurred' && supplierId === null) {
    const detail = 'supplierId: a cost that was incurred has a supplier.';
    throw invalid('supplier_required', detail, 'supplierId');
  }
}
