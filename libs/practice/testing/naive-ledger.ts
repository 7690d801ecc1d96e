import { Decimal } from 'decimal.js';
import { above, exact, minus, type Part, pence, zero } from './naive-money';
import {
  isPartWrittenOff,
  isReserved,
  isUnbilled,
  type LedgerInvoice,
  type LedgerItem,
  type LedgerMatter,
  type Refusals,
} from './naive-records';

export interface WriteOff {
  units?: number;
  amount?: number;
  day?: string;
}

type Measure = 'finalised' | 'billed' | 'written_off' | 'written_up';

/**
 * The expected books of a firm about work and costs. They follow the rules of the specification, and share no code with
 * the service. Each method takes a request and returns the codes of the rules that refuse it.
 * @see resources.md: The life of a work item, Write-off, Fee analysis measures
 */
export class NaiveLedger {
  readonly matters = new Map<string, LedgerMatter>();
  readonly items = new Map<string, LedgerItem>();
  readonly invoices = new Map<string, LedgerInvoice>();
  /** The sums of money and units by `day measure employee matter`. */
  readonly facts = new Map<string, Part>();

  /** Records a new item, which is finalised at once. */
  record(item: Omit<LedgerItem, 'whole' | 'left' | 'state' | 'offOn' | 'invoiceId' | 'settled'>): Refusals {
    if (this.isClosed(item.matterId)) return ['matter_not_open'];
    const whole = worth(item);
    const fresh = { ...item, whole, left: whole, offOn: null, invoiceId: null, settled: null };
    this.items.set(item.id, { ...fresh, state: 'Pending' });
    return this.finalise(item.id);
  }

  /** @param changes the values of the request that differ from the item's */
  change(id: string, changes: Partial<LedgerItem>): Refusals {
    const item = this.live(id);
    if (!item) return ['not_found'];
    const names = Object.keys(changes);
    if (names.length === 0) return [];
    if (isReserved(item)) return ['reserved'];
    const late = names.every((name) => name === 'title') && item.state !== 'Billed';
    if (item.state !== 'Pending' && !late) return ['finalised'];
    if (changes.matterId !== undefined && this.isClosed(changes.matterId)) return ['matter_not_open'];
    const changed = { ...item, ...changes };
    if (!late) changed.whole = changed.left = worth(changed);
    if (this.isClosed(changed.matterId) && isUnbilled(changed) && !isUnbilled(item))
      return ['matter_not_open'];
    this.items.set(id, changed);
    return [];
  }

  finalise(id: string): Refusals {
    const item = this.live(id);
    if (!item) return ['not_found'];
    if (item.state === 'Finalised') return [];
    if (item.state !== 'Pending') return ['not_pending'];
    if (this.isClosed(item.matterId)) return ['matter_not_open'];
    item.state = 'Finalised';
    this.post(item, item.day, 'finalised', item.whole);
    return [];
  }

  unfinalise(id: string): Refusals {
    const item = this.live(id);
    if (!item) return ['not_found'];
    if (item.state === 'Pending') return [];
    if (isReserved(item)) return ['reserved'];
    if (item.state !== 'Finalised') return ['not_finalised'];
    if (isPartWrittenOff(item)) return ['partly_written_off'];
    item.state = 'Pending';
    this.post(item, item.day, 'finalised', item.whole, -1);
    return [];
  }

  remove(id: string): Refusals {
    const item = this.live(id);
    if (!item) return ['not_found'];
    if (isReserved(item)) return ['reserved'];
    if (item.state !== 'Pending') return ['finalised'];
    item.state = 'Deleted';
    return [];
  }

  writeOff(id: string, { units, amount, day: asked }: WriteOff, today: string): Refusals {
    const item = this.live(id);
    if (!item) return ['not_found'];
    if (asked !== undefined && asked < item.day) return ['before_entry'];
    const day = asked ?? (item.day > today ? item.day : today);
    if (isReserved(item)) return ['reserved'];
    if (item.state !== 'Finalised') return ['not_finalised'];
    const refusals: Refusals = [];
    const { left } = item;
    if (units !== undefined && amount !== undefined) refusals.push('units_or_amount');
    if (amount !== undefined && !pence(exact(amount)).eq(amount)) refusals.push('too_precise');
    if ((amount !== undefined && left.amount.lt(amount)) || (units !== undefined && left.units.lt(units)))
      refusals.push('more_than_remains');
    if (refusals.length > 0) return refusals;
    let part = left;
    if (amount !== undefined && !left.amount.eq(amount))
      part = {
        amount: exact(amount),
        units: left.units.mul(amount).div(left.amount).toDecimalPlaces(4, Decimal.ROUND_HALF_UP),
      };
    if (units !== undefined && !left.units.eq(units))
      part = { units: exact(units), amount: pence(left.amount.mul(units).div(left.units)) };
    item.left = minus(left, part);
    if (item.offOn === null || day > item.offOn) item.offOn = day;
    if (item.left.amount.isZero() && item.left.units.isZero()) item.state = 'WrittenOff';
    this.post(item, day, 'written_off', part);
    return [];
  }

  reinstate(id: string, today: string): Refusals {
    const item = this.live(id);
    if (!item) return ['not_found'];
    const refusals: Refusals = [];
    if (isReserved(item)) refusals.push('reserved');
    if (item.state !== 'WrittenOff' && !(item.state === 'Finalised' && isPartWrittenOff(item)))
      refusals.push('not_written_off');
    if (this.isClosed(item.matterId)) refusals.push('matter_not_open');
    if (refusals.length > 0) return refusals;
    const { offOn } = item;
    const day = offOn !== null && offOn > today ? offOn : today;
    this.post(item, day, 'written_off', minus(item.whole, item.left), -1);
    item.left = item.whole;
    item.offOn = null;
    item.state = 'Finalised';
    return [];
  }

  closeMatter(id: string): Refusals {
    const unbilled = [...this.items.values()].some((item) => item.matterId === id && isUnbilled(item));
    const drafted = [...this.invoices.values()].some(
      ({ matterId, state }) => matterId === id && state === 'Draft',
    );
    if (unbilled || drafted) return ['unbilled_work'];
    this.matters.get(id)!.open = false;
    return [];
  }

  reopenMatter(id: string): Refusals {
    this.matters.get(id)!.open = true;
    return [];
  }

  /** Bills an item of an issued invoice. The charge's difference from the remaining value is written off or up. */
  bill(id: string, day: string, billed: Part): void {
    const item = this.items.get(id)!;
    const before = item.left;
    const [off, up] = [above(before, billed), above(billed, before)];
    Object.assign(item, { state: 'Billed', left: { amount: zero, units: zero } });
    item.settled = { day, before, billed, off, up };
    for (const [measure, part] of [
      ...([['billed', billed] as const, ['written_off', off] as const, ['written_up', up] as const] as const),
    ])
      this.post(item, day, measure, part);
  }

  unbill(id: string, day: string, invoiceId: string | null): void {
    const item = this.items.get(id)!;
    const { before, billed, off, up, day: issued } = item.settled!;
    this.post(item, day, 'billed', billed, -1);
    this.post(item, day, 'written_off', off, -1);
    this.post(item, issued, 'written_up', up, -1);
    Object.assign(item, { state: 'Finalised', left: before, invoiceId, settled: null });
  }

  isClosed(matterId: string | null): boolean {
    return matterId !== null && !this.matters.get(matterId)!.open;
  }

  live(id: string): LedgerItem | undefined {
    const item = this.items.get(id);
    return item?.state === 'Deleted' ? undefined : item;
  }

  private post(item: LedgerItem, day: string, measure: Measure, part: Part, sign: 1 | -1 = 1): void {
    if (item.employeeId === null || item.matterId === null || !item.billable) return;
    const key = `${day} ${measure} ${item.employeeId} ${item.matterId}`;
    const sum = this.facts.get(key) ?? { amount: zero, units: zero };
    const [amount, units] = [part.amount.mul(sign), part.units.mul(sign)];
    this.facts.set(key, { amount: sum.amount.add(amount), units: sum.units.add(units) });
  }
}

/** The whole value of an item. A unit (of six minutes, for example) counts whole once begun; timed rates are hourly. */
function worth({
  timed,
  ticks,
  unitsGiven,
  minutesPerUnit,
  rate,
}: Parameters<NaiveLedger['record']>[0]): Part {
  const begun = exact(ticks).div(600_000_000).div(minutesPerUnit).ceil();
  const units = unitsGiven !== null ? exact(unitsGiven) : timed ? begun : exact(1);
  return { units, amount: pence(timed ? units.mul(minutesPerUnit).mul(rate).div(60) : units.mul(rate)) };
}
