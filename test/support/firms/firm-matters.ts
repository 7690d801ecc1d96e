import { type DayNumber, instantText } from './days';
import { exact } from './exact';
import { type Cost, writeCost } from './firm-costs';
import { type InvoiceState, writeInvoice } from './firm-invoices';
import { type BillableState, type Item, writeItem } from './firm-items';
import type { Staffed } from './making';
import { oddTexts } from './odd-texts';
import type { ClientOf, FeeEarner } from './people';
import { writeAgreedRates } from './rate-rows';

type MatterState = 'Open' | 'Closed' | 'Archived';

interface Matter {
  readonly id: string;
  readonly state: MatterState;
  readonly client: ClientOf;
  readonly team: readonly FeeEarner[];
  readonly opened: DayNumber;
  /** The matter's last day, or the last day of the data. */
  readonly end: DayNumber;
}

/** What happens to the work of a part of the matter's life. */
type Outcome = InvoiceState | 'Unbilled';

/** Many more invoices are paid than owed. */
const ISSUED: readonly InvoiceState[] = [
  'Paid',
  'Issued',
  'PartPaid',
  'Voided',
  'Paid',
  'WrittenOff',
  'Paid',
  'Paid',
];

/** Adds a matter with everything that happened on it. @param items number of its work items */
export function writeMatter(making: Staffed, index: number, items: number): void {
  const matter = openMatter(making, index);
  if (matter.state === 'Open') writeAgreedRates(making, { kind: 'Matter', id: matter.id, index });
  const size = Math.min(making.random.whole(5, 11), Math.max(2, Math.floor(items / 3)));
  for (let first = 0; first < items; first += size) {
    const stretch = { first, last: Math.min(items, first + size), of: items };
    const isLast = stretch.last === items;
    const outcome: Outcome =
      isLast && matter.state === 'Open'
        ? index % 2 === 0
          ? 'Unbilled'
          : 'Draft'
        : ISSUED[making.made.invoices % ISSUED.length];
    writeStretch(making, matter, stretch, outcome);
  }
}

function openMatter(making: Staffed, index: number): Matter {
  const { writer, random, currency, hoursAhead, cutover, people } = making;
  const id = `MAT-${index + 1}`;
  const state: MatterState = index % 8 === 5 ? 'Closed' : index % 8 === 7 ? 'Archived' : 'Open';
  const client = clientOf(making, index, state);
  const team = teamOf(making, index, state);
  // Long enough ago for the older tax rates.
  const isOld = index % 16 === 5 && cutover > 16_000;
  const opened = isOld ? 14_050 : cutover - random.whole(400, 1_400);
  const end = isOld ? 15_300 : state === 'Open' ? cutover : opened + random.whole(100, 380);
  writer.add('Matter', {
    ImportId: id,
    ClientId: client.id,
    DivisionId: `DIV-${(index % 3) + 1}`,
    State: state,
    MatterTypeId: index % 6 === 4 ? null : ['MT-1', 'MT-10', 'MT-11', 'MT-0', 'MT-3'][index % 5],
    ResponsiblePersonId: index % 8 === 6 ? null : team[0].id,
    ActingPersonId: index % 4 === 3 ? null : team[1 % team.length].id,
    AssistingPersonId: index % 3 === 0 ? people.feeEarners[index % people.feeEarners.length].id : null,
    MatterNumber: index % 9 === 7 ? null : `M/${String(index + 1).padStart(6, '0')}`,
    Title:
      index % 7 === 2 ? oddTexts[index % oddTexts.length] : `${titles[index % titles.length]} ${index + 1}`,
    Currency: index % 2 === 0 ? currency : null,
    DateOpened: instantText(opened, 540, hoursAhead),
    DateClosed: state === 'Open' ? null : instantText(end, 1_050, hoursAhead),
    FeeEstimate: index % 3 === 1 ? exact(random.whole(500, 90_000)).toFixed(4) : null,
  });
  return { id, state, client, team, opened, end };
}

const titles = [
  'Purchase of Mill Lane',
  'Dispute with a supplier',
  'Estate of a client',
  'Lease renewal',
  'Debt claim',
];

function clientOf({ people: { active, inactive } }: Staffed, index: number, state: MatterState): ClientOf {
  if (index % 16 === 7 && state !== 'Open') return inactive[Math.floor(index / 16) % inactive.length];
  return active[index % active.length];
}

/** Former employees have worked only on closed matters. */
function teamOf({ people: { feeEarners }, random }: Staffed, index: number, state: MatterState): FeeEarner[] {
  const able = state === 'Open' ? feeEarners.filter(({ isActive }) => isActive) : feeEarners;
  return [able[index % able.length], random.pick(able), random.pick(able)];
}

/** Adds work and costs of a part of the matter's life, and the invoice that charges them. */
function writeStretch(
  making: Staffed,
  matter: Matter,
  { first, last, of }: { first: number; last: number; of: number },
  outcome: Outcome,
): void {
  const { random, made } = making;
  const { id: matterId, team, opened, end } = matter;
  const dayOf = (index: number) => opened + Math.floor(((index + 1) / (of + 1)) * (end - opened - 1));
  // The costs' day. It is not after the invoice, because that follows the last item.
  const until = dayOf(last - 1);
  const items: Item[] = [];
  for (let index = first; index < last; index++) {
    const day = dayOf(index);
    const number = made.items + 1;
    const isBillable = number % 17 !== 3;
    const isWrittenOff = isBillable && number % 23 === 7;
    const state = isWrittenOff ? 'WrittenOff' : isBillable ? stateOf(outcome, matter, number) : 'Finalised';
    const writeOffDay = state !== 'WrittenOff' ? null : isWrittenOff ? random.whole(day, end) : end;
    const item = writeItem(making, {
      matterId,
      employee: random.pick(team),
      day,
      state,
      isBillable,
      writeOffDay,
    });
    if (isBillable && !isWrittenOff) items.push(item);
  }
  const costs: Cost[] = [];
  for (let index = 0; index < 1 + (made.costs % 2); index++) {
    const cost = writeCost(making, matterId, until, stateOf(outcome, matter, made.costs + 1));
    if (cost) costs.push(cost);
  }
  if (outcome === 'Unbilled' || (items.length === 0 && costs.length === 0)) return;
  const day = Math.min(until + random.whole(0, 5), end);
  writeInvoice(making, { state: outcome, client: matter.client, matterId, day, items, costs });
}

/** Voiding an invoice releases what it charged. If the matter was closed since, that was written off. */
function stateOf(outcome: Outcome, { state }: Matter, number: number): BillableState {
  if (outcome === 'Unbilled') return number % 2 === 0 ? 'Pending' : 'Finalised';
  if (outcome === 'Draft') return 'Finalised';
  if (outcome === 'Voided') return state === 'Open' ? 'Finalised' : 'WrittenOff';
  return 'Billed';
}
