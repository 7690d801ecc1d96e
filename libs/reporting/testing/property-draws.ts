import * as fc from 'fast-check';

/** An instant on a local day of the firm. */
export interface Moment {
  /** `YYYY-MM-DD`. */
  day: string;
  /** Offset from the day's start; negative before it. */
  milliseconds: number;
}

/** One event in an item's life, if it is possible. Each kind uses the draws that it needs. */
export interface Step {
  kind: (typeof kinds)[number];
  /** A choice among the existing things, modulo their number. */
  pick: number;
  /** Share of what remains, in thousandths. */
  share: number;
  item: ItemFields;
}

export interface ItemFields {
  employee: number;
  matter: number | null;
  taskType: number | null;
  at: Moment;
  itemType: 0 | 1;
  ticks: number;
  units: string;
  minutesPerUnit: string;
  rate: string;
  total: string;
  title: string | null;
  isBillable: boolean;
}

export interface ItemDraw extends ItemFields {
  steps: Step[];
  createdAt: Moment;
  foreign: boolean;
}

interface MatterDraw {
  client: number;
  division: number;
  type: number | null;
  title: string;
}

/** A firm and its whole life. References are indexes, modulo the number of things. */
export interface FirmDraw {
  place: { zone: string; financialYearStart: number; region: 'uk' | 'au'; currency: string };
  employees: string[];
  clients: string[];
  divisions: string[];
  matterTypes: string[];
  taskTypes: string[];
  matters: MatterDraw[];
  /** Numbers of the invoices; null: the invoice is never issued. */
  invoices: (string | null)[];
  items: ItemDraw[];
  /** How names and matters change after work was done. */
  renamed: { employee: string; client: string; matter: MatterDraw };
  /** Number of events in each batch in which the read models are written. */
  batch: number;
}

/** Equal names, names that contain each other, and names that bytes and people sort differently. */
const names = [
  'Ash',
  'Ash',
  'de Souza',
  'Zimmer',
  'Ärla',
  'ash',
  'O_Hara',
  'Bell, Ann',
  'Bell, Bo',
  'Unit 9',
  'Unit 10',
];
const words = ['a', 'a_b', 'b_c', 'c', 'Wills', 'wills', 'Item 2', 'Item 10', 'Billed', '(Blank)'];
const kinds = [
  ...([
    'finalise',
    'finalise',
    'finalise',
    'unfinalise',
    'edit',
    'writeOff',
    'reinstate',
    'reserve',
  ] as const),
  ...(['release', 'bill', 'bill', 'bill', 'reverse', 'delete'] as const),
];

const places: FirmDraw['place'][] = [
  { zone: 'Europe/London', financialYearStart: 4, region: 'uk', currency: 'GBP' },
  { zone: 'Australia/Sydney', financialYearStart: 7, region: 'au', currency: 'AUD' },
  // Clocks change at midnight here, so one day has no midnight.
  { zone: 'America/Santiago', financialYearStart: 1, region: 'uk', currency: 'GBP' },
];

/** Days on which clocks change in one of the places, or on which a period begins or ends. */
const edges = [
  '2025-03-30',
  '2025-10-26',
  '2025-04-06',
  '2025-10-05',
  '2024-09-08',
  '2025-09-07',
  '2024-02-29',
  '2023-12-31',
  '2024-01-01',
  '2024-03-31',
  '2024-04-01',
  '2024-06-30',
  '2024-07-01',
  '2024-12-31',
  '2025-01-01',
  '2025-03-31',
  '2025-04-01',
  '2025-06-30',
  '2025-07-01',
  '2025-12-31',
  '2026-01-01',
];
const DAY = 86_400_000;

/** A day of the years in which the firm works. */
export const someDay: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...edges) },
  {
    weight: 3,
    arbitrary: fc
      .integer({ min: Date.UTC(2023, 0, 1) / DAY, max: Date.UTC(2026, 2, 1) / DAY })
      .map((day) => new Date(day * DAY).toISOString().slice(0, 10)),
  },
);

export const someMoment: fc.Arbitrary<Moment> = fc.record({
  day: someDay,
  milliseconds: fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(-1, 0, 1, DAY / 2, DAY - 3_600_001) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: DAY - 1 }) },
  ),
});

/** Few different values, many of them equal, with as many decimals as are stored. */
const quantity = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('0', '0', '1', '2.5', '10', '0.0001', '3.3333') },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 2_000_000 }).map((units) => String(units / 10_000)) },
);
const at = fc.nat(9);

const itemFields: fc.Arbitrary<ItemFields> = fc.record({
  employee: at,
  matter: fc.option(at, { freq: 8 }),
  taskType: fc.option(at, { freq: 3 }),
  at: someMoment,
  itemType: fc.constantFrom<0 | 1>(0, 0, 0, 1),
  ticks: fc.oneof(fc.constantFrom(0, 36_000_000_000), fc.nat(200_000_000_000)),
  units: quantity,
  minutesPerUnit: fc.constantFrom('6', '6', '10', '7.5', '0.3333'),
  rate: fc.constantFrom('100', '99.1234567891', '0', '250.5'),
  total: quantity,
  title: fc.option(fc.constantFrom(...words)),
  isBillable: fc.constantFrom(true, true, true, false),
});

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  pick: fc.nat(99),
  share: fc.oneof(fc.constantFrom(1000, 1000, 0), fc.integer({ min: 1, max: 1500 })),
  item: itemFields,
});

const item: fc.Arbitrary<ItemDraw> = fc
  .tuple(
    itemFields,
    someMoment,
    fc.array(step, { maxLength: 7, size: 'max' }),
    fc.constantFrom(true, true, true, true, false),
    fc.boolean(),
  )
  .map(([fields, createdAt, steps, finalised, foreign]) => ({
    ...fields,
    createdAt,
    foreign,
    steps: finalised ? [{ kind: 'finalise' as const, pick: 0, share: 0, item: fields }, ...steps] : steps,
  }));

const matter: fc.Arbitrary<MatterDraw> = fc.record({
  client: at,
  division: at,
  type: fc.option(at, { freq: 2 }),
  title: fc.constantFrom(...words),
});

const some = (values: readonly string[], count: number) =>
  fc.array(fc.constantFrom(...values), { minLength: count, maxLength: count });

/** A firm. Consecutive numbers have different places. @param number selects the place */
export function firmDraw(number: number, items: number): fc.Arbitrary<FirmDraw> {
  const sized = <Value>(value: fc.Arbitrary<Value>, count: number) =>
    fc.array(value, { minLength: count, maxLength: count });
  return (
    fc
      .record({
        place: fc.constant(places[number % places.length]),
        employees: some(names, 5),
        clients: some(names, 3),
        divisions: some(words, 2),
        matterTypes: some(words, 3),
        taskTypes: some(words, 4),
        matters: sized(matter, 7),
        invoices: sized(fc.option(fc.nat(20).map(String), { freq: 3 }), 6),
        items: sized(item, items),
        renamed: fc.record({
          employee: fc.constantFrom(...names),
          client: fc.constantFrom(...names),
          matter,
        }),
        batch: fc.integer({ min: 20, max: 200 }),
      })
      // Every fourth firm works in two currencies. In the third place some work is worth so much that small amounts
      // could be lost in a sum with it.
      .map((firm) => ({
        ...firm,
        items: firm.items.map((one, index) => ({
          ...one,
          foreign: one.foreign && number % 4 === 3,
          total: number % places.length === 2 && index % 9 === 0 ? '987654321098.7654' : one.total,
        })),
      }))
  );
}
