// SQL for values that look like a firm's. `n` counts a table's rows from 1, `tenant` is the tenant's number.

const CONSONANTS = [...'bdfghklmnprstvw'];
const VOWELS = [...'aeiou'];
const syllables = CONSONANTS.flatMap((consonant) => VOWELS.map((vowel) => consonant + vowel));
/** Distinct words that read like names. Another turn gives other words. */
const named = (count: number, turn: number) =>
  Array.from({ length: count }, (_, index) => {
    const [first, second] = [index, Math.floor(index / syllables.length) + turn];
    return [first, second].map((one) => syllables[one % syllables.length]).join('') + CONSONANTS[index % 15];
  });
export const families = ['smith', 'jones', ...named(2000, 0)];
export const givenNames = ['john', 'mary', ...named(400, 30)];
export const subjects = ['lease', 'sale', 'claim', 'estate', 'divorce', 'contract', ...named(1000, 40)];

/** A pseudo-random number from 0 to 1, determined by the row and the purpose. */
export const chance = (purpose: number) => `(abs(hashint8extended(n, ${purpose}) % 1000003) / 1000003.0)`;
/** The number of one of the first rows of another table. */
export const pick = (count: string, purpose: number) => `(1 + floor(${chance(purpose)} * ${count}))::int`;
/** One of several texts. The first ones are frequent, as some names are. */
export const word = (list: string[], purpose: number) =>
  `(array['${list.join("','")}'])[1 + floor(${list.length} * power(${chance(purpose)}, 1.7))::int]`;
export const capital = (text: string) => `initcap(${text})`;
/** The number of rows (of people, task types and so on) that other records refer to. */
export const FEW = '1000';
const KINDS: Record<string, string> = {
  entity: '001',
  client: '002',
  employee: '003',
  supplier: '004',
  matter: '005',
  workitem: '006',
  role: '007',
  division: '008',
  mattertype: '009',
  tasktype: '00a',
  taxcode: '00b',
  disbursementcode: '00c',
  rateset: '00d',
  applicablerate: '00e',
  costrecovery: '00f',
  invoice: '010',
  documentcollection: '011',
  document: '012',
};

/** SQL for the UUID of a row. The UUIDs are ordered by time, as those of new ids are. */
export const uuid = (kind: string, n: string) =>
  `(lpad(to_hex(1700000000000 + 60000 * (${n})::bigint), 12, '0') || '7${KINDS[kind]}8'
    || lpad(to_hex(tenant), 3, '0') || lpad(to_hex(${n}), 12, '0'))::uuid`;
/** The id of a row. Other records refer to rows 1 to 1000. */
export function fullId(kind: string, tenant: number, n: number): string {
  const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');
  return `${kind}_${hex(1_700_000_000_000 + 60_000 * n, 12)}7${KINDS[kind]}8${hex(tenant, 3)}${hex(n, 12)}`;
}
export const id = (kind: string, n: string) => `'${kind}_' || replace(${uuid(kind, n)}::text, '-', '')`;
