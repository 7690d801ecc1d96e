import { type DayNumber, instantText } from './days';
import { type Exact, exact, pennies } from './exact';
import type { BillableState } from './firm-items';
import type { Staffed } from './making';
import { costCodes } from './reference-rows';

/** A cost that an invoice can charge. */
export interface Cost {
  readonly id: string;
  readonly lineKind: 'CostRecovery' | 'Disbursement';
  readonly taxCode: string;
  readonly quantity: string;
  readonly unitAmount: string;
  readonly value: Exact;
  readonly description: string | null;
}

const KINDS = ['CostRecovery', 'Incurred', 'Anticipated', 'Incurred', 'CostRecovery'] as const;
const QUANTITIES = ['1.0000', '12.0000', '3.5000', '0.2500'];
const AMOUNTS = ['35.0000', '0.1500', '1250.0000', '7.3333', '18.9950'];

/**
 * Adds a cost.
 * @param state the cost's state; an anticipated cost is never billed
 * @returns undefined for an anticipated or written-off cost
 */
export function writeCost(
  making: Staffed,
  matterId: string,
  day: DayNumber,
  state: BillableState,
): Cost | null {
  const { writer, random, made, hoursAhead, people } = making;
  const number = ++made.costs;
  const kind = KINDS[number % KINDS.length];
  const isExpected = kind === 'Anticipated';
  const isWrittenOff = !isExpected && number % 19 === 9;
  const suited = costCodes.filter((code) => code.kind === null || code.kind === kind);
  const code = suited[number % suited.length];
  const id = `CR-${number}`;
  const [quantity, unitAmount] = [QUANTITIES[number % QUANTITIES.length], random.pick(AMOUNTS)];
  const description = number % 4 === 1 ? null : `Cost ${number}: “${kind}”`;
  const expected = number % 2 === 0 ? 'Pending' : 'Finalised';
  const hasSupplier = kind === 'Incurred' || (isExpected && number % 3 === 0);
  writer.add('CostRecovery', {
    ImportId: id,
    MatterId: matterId,
    DisbursementCodeId: code.id,
    SupplierId: hasSupplier ? people.suppliers[number % people.suppliers.length] : null,
    Kind: kind,
    EntryDate: instantText(day, random.whole(540, 1019), hoursAhead),
    Quantity: quantity,
    UnitAmount: unitAmount,
    Description: description,
    State: isExpected ? expected : isWrittenOff ? 'WrittenOff' : state,
  });
  if (isExpected || isWrittenOff) return null;
  const lineKind = kind === 'Incurred' ? 'Disbursement' : 'CostRecovery';
  const value = pennies(exact(quantity).mul(unitAmount));
  return { id, lineKind, taxCode: code.taxCode, quantity, unitAmount, value, description };
}
