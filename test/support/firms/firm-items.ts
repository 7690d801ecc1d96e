import { FIXED_FEES, narration, OFFICE_TIME } from '#practice/demo/narrations';
import { type DayNumber, dayText, instantText } from './days';
import { type Exact, exact, pennies } from './exact';
import type { Making, Staffed } from './making';
import { oddTexts } from './odd-texts';
import type { FeeEarner } from './people';

export type BillableState = 'Pending' | 'Finalised' | 'Billed' | 'WrittenOff';

export interface ItemWanted {
  readonly matterId: string | null;
  readonly employee: FeeEarner;
  readonly day: DayNumber;
  readonly state: BillableState;
  readonly isBillable: boolean;
  readonly writeOffDay: DayNumber | null;
}

/** A work item that an invoice can charge. */
export interface Item {
  readonly id: string;
  readonly employeeId: string;
  readonly title: string | null;
  readonly units: Exact;
  readonly rate: string;
  readonly value: Exact;
  readonly isBillable: boolean;
}

const TICKS_PER_SECOND = 10_000_000;
const TICKS_PER_UNIT = 3_600_000_000;

/** Adds a work item. Its value is its units of six minutes at its rate, rounded half-up. */
export function writeItem(making: Making, wanted: ItemWanted): Item {
  const { random, writer, figures, currency, hoursAhead, made } = making;
  const number = ++made.items;
  const { matterId, employee, day, state, isBillable, writeOffDay } = wanted;
  const isTimed = number % 6 !== 4 || matterId === null;
  const ticks = isTimed ? (random.whole(1, 24) * 600 - (number % 3) * 55) * TICKS_PER_SECOND : null;
  const counted =
    ticks === null
      ? exact(ITEMISED[number % ITEMISED.length] ?? 1)
      : exact(Math.ceil(ticks / TICKS_PER_UNIT));
  const given =
    ticks === null ? ITEMISED[number % ITEMISED.length] : number % 2 === 0 ? counted.toFixed(4) : null;
  const rate = isTimed ? rateOf(making, employee, number) : FEES[number % FEES.length];
  const value = pennies((isTimed ? counted.mul(6).div(60) : counted).mul(rate));
  const id = keyOf(number);
  const title = titleOf(making, number, isTimed, matterId === null);
  writer.add('WorkItem', {
    ImportId: id,
    MatterId: matterId,
    EmployeeId: employee.id,
    TaskTypeId: number % 8 === 7 ? null : matterId === null ? 'TASK-4' : taskTypeOf(number, isTimed),
    ItemType: isTimed ? 'Timed' : 'Itemised',
    EntryDate: instantText(day, random.whole(540, 1019), hoursAhead),
    DurationTicks: ticks,
    Units: given,
    Rate: rate,
    RateCurrency: currency,
    Title: title,
    State: state,
    IsBillable: isBillable,
    WriteOffDate: writeOffDay === null ? null : dayText(writeOffDay),
  });
  figures.add('Work', matterId, employee.id, value);
  const isOpen = state === 'Pending' || state === 'Finalised';
  if (isOpen && isBillable && matterId !== null) figures.add('UnbilledWork', matterId, employee.id, value);
  return { id, employeeId: employee.id, title, units: counted, rate, value, isBillable };
}

/** Adds time without a matter. */
export function writeOfficeTime(making: Staffed, index: number): void {
  const { people, cutover, random } = making;
  const employee = people.feeEarners[index % people.feeEarners.length];
  const state = index % 2 === 0 ? 'Pending' : 'Finalised';
  const day = cutover - random.whole(0, 700);
  writeItem(making, { matterId: null, employee, day, state, isBillable: false, writeOffDay: null });
}

/** Some keys differ from another one only in case: a source's keys are compared byte by byte. */
function keyOf(number: number): string {
  return number % 97 === 0 ? `wi-${number - 1}` : `WI-${number}`;
}

const ITEMISED = [null, '1.0000', '2.0000', '2.5000', '0.3333'] as const;
const FEES = ['45.0000000000', '120.0000000000', '9.9950000000', '33.3333333333'];

function taskTypeOf(number: number, isTimed: boolean): string {
  return number % 5 === 0 ? 'TASK-2' : isTimed ? 'TASK-1' : 'TASK-3';
}

/** Usually the employee's own rate, sometimes one with all ten decimal places. */
function rateOf({ random }: Making, { rate }: FeeEarner, number: number): string {
  if (number % 7 !== 2) return rate;
  return `${random.whole(80, 400)}.${String(random.whole(1, 99_999)).padStart(5, '0')}${String(random.whole(1, 99_999)).padStart(5, '0')}`;
}

function titleOf({ random }: Making, number: number, isTimed: boolean, isOffice: boolean): string | null {
  if (number % 13 === 5) return null;
  if (number % 11 === 3) return oddTexts[Math.floor(number / 11) % oddTexts.length];
  if (isOffice) return random.pick(OFFICE_TIME);
  return isTimed ? narration(random) : random.pick(FIXED_FEES);
}
