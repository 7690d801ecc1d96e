/** An `error` prevents the promotion of the import; a `warning` does not. */
export type Severity = 'error' | 'warning';

interface FindingKind {
  severity: Severity;
  /** The step that produces the finding. */
  step: 'Validating' | 'Comparing' | 'Reconciling';
  /** What the finding means, and what the firm does about it. */
  about: string;
}

const error = (about: string): FindingKind => ({ severity: 'error', step: 'Validating', about });
const difference = (about: string): FindingKind => ({ severity: 'error', step: 'Reconciling', about });
const hindrance = (about: string): FindingKind => ({ severity: 'error', step: 'Comparing', about });
const warning = (about: string): FindingKind => ({ severity: 'warning', step: 'Validating', about });

/** Every kind of finding about an import's data. The codes are stable: a firm's own tools may sort findings by them. */
export const findingKinds = {
  required: error('A value that every such row needs is empty. Fill it in.'),
  invalid_value: error(
    'A value cannot be read as what its column holds, or says nothing; or a code has white space at its ends or is not in NFC. Correct it.',
  ),
  out_of_range: error('A number, an amount or a date is beyond what is accepted. Correct it.'),
  too_long: error('A text is longer than its column allows. Shorten it.'),
  invalid_choice: error(
    'A value is none of those that its column allows, spelled as they are. Use one of them.',
  ),
  unknown_currency: error('A currency is no code of ISO 4217. Use three capital letters such as GBP.'),
  currency_differs: error('A currency is not the base currency of the tenant. Convert the row.'),
  duplicate_key: error(
    'An ImportId is that of several rows of its table, or looks like the id of a record of the tenant. Make it unique.',
  ),
  not_found: error(
    'A reference names no row, and no record of the tenant. Add the row, or correct the reference.',
  ),
  part_of_existing: error(
    'A part refers to a record that the tenant has already: imports add no parts to those. Refer to a row.',
  ),
  cycle: error('Matter types are above each other in a circle. Take a ParentId away.'),
  too_deep: error('A matter type is below one that has a parent itself. There are two levels.'),
  duplicate_code: error(
    'A code, number or name that must be unique is that of several rows, or an entity is the same twice. Change all but one.',
  ),
  code_taken: error(
    'A code, number or name, or the place of an entity, is taken by another record of the tenant, whose own row, if it has one, does not give it up. Change it, or refer to that record.',
  ),
  duplicate_entry: error(
    'Two charges of a rate set, or two control totals, are for the same. Take one away.',
  ),
  too_many: error('A record has more parts than it can have. Divide it.'),
  rates_overlap: error('Two rates for the same are in force on one day. End one before the other begins.'),
  no_tax_rate: error(
    'There is no tax code for a line, or its code has no rate on the day of the invoice. Name a code, or add the rate.',
  ),
  period_reversed: error('Something ends before it begins. Correct one of the dates.'),
  after_cutover: error('A row is dated after the CutoverDate. Leave it out, or move the cutover.'),
  units_differ: error(
    'The Units of timed work are not what its DurationTicks come to, however a broken unit is rounded. Correct one.',
  ),
  total_differs: error(
    'An invoice does not come to its Total, or the Amount of a line not to its Units × Rate. Correct one.',
  ),
  payments_differ: error(
    'The payments of an invoice do not go with its State, or are more than it comes to. Correct State or payments.',
  ),
  wrong_state: error(
    'States of rows contradict each other, or a state lacks what goes with it. Correct one.',
  ),
  wrong_kind: error('A column does not fit the kind of its row. Empty it, fill it in, or change the kind.'),
  wrong_setting: error(
    'What the import says of itself is not as the tenant is set, or not spelled as in an import before. Correct it, or have the tenant set.',
  ),
  one_row: error('Info has no row, or more than one. It has exactly one.'),
  matter_differs: error(
    'Rows that belong together are for different matters or clients. Correct the reference.',
  ),
  edited_since_import: hindrance(
    'A row has changed whose record was changed in the tenant since its import. Take that change over into the source (of somebody who was erased: the name by which the tenant shows them, and nothing else that is personal), or leave the row as it was.',
  ),
  cannot_change: hindrance(
    'A row has changed in a way in which its record cannot, as one that closes a matter on which the tenant has unbilled work; or without the row of what it parts from. Leave the row as it was, and make a new one; settle what the tenant has; or have the other row again.',
  ),
  control_total_differs: difference(
    'The rows do not come to what a ControlTotal says. Correct the rows, or the total that the source system gave.',
  ),
  loaded_total_differs: difference(
    'What was loaded does not come to what the rows do. The fault is ours: tell the operator.',
  ),
  replaced: warning(
    'A text has a character that cannot be kept: a NUL, or half of one. Another stands in its place. Correct the text.',
  ),
  rounded: warning('An amount has more decimals than its currency; it is rounded half-up.'),
  charged_otherwise: warning(
    'A line charges another amount than its work or cost is worth; the difference is written off, or up.',
  ),
  unused: warning('A value says nothing about such a row, and is not kept.'),
} satisfies Record<string, FindingKind>;

export type FindingCode = keyof typeof findingKinds;

export function severityOf(code: FindingCode): Severity {
  return findingKinds[code].severity;
}

/** The catalogue of findings in Markdown, for the firm that supplies the data. */
export function findingsReference(): string {
  const rows = Object.entries(findingKinds).map(
    ([code, { severity, about }]) => `| \`${code}\` | ${severity} | ${about} |`,
  );
  return [
    '# Findings of a bulk import',
    '',
    'Every row is checked by every rule, so one report tells all. An error keeps the import from being loaded; a warning does',
    'not. Rows that only follow from a mistake elsewhere are named as well, where the mistake may be in either; so are control',
    'totals. A row that an import before has brought, and that is the same again, is not told of for what became of its record',
    'in the tenant; new and changed rows that refer to it are checked against that.',
    '',
    '| code | severity | what it means, and what to do |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
