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
    'A value does not have the form that its column needs, or is only white space; or a code begins or ends with white space, or is not in Unicode form NFC. Correct it.',
  ),
  out_of_range: error(
    'A number, an amount (also one that is calculated from the row) or a date is outside the accepted range. Correct it.',
  ),
  too_long: error('A text is longer than its column allows. Shorten it.'),
  invalid_choice: error('A value is none of those that its column allows; capitals count. Use one of them.'),
  unknown_currency: error('A currency is not a code of ISO 4217. Use three capital letters such as GBP.'),
  currency_differs: error('A currency is not the base currency of the tenant. Convert the row.'),
  duplicate_key: error(
    'Several rows of a table have one ImportId, or an ImportId looks like the id of a record of the tenant. Give each row an ImportId of its own.',
  ),
  not_found: error(
    'A reference names neither a row nor a record of the tenant. Add the row, or correct the reference.',
  ),
  part_of_existing: error(
    'A part (a line, a rate, a payment) refers by id to a record that the tenant has already. An import adds no parts to such records. Refer to a row.',
  ),
  cycle: error('Matter types are parents of each other in a circle. Remove a ParentId.'),
  too_deep: error(
    'The parent of a matter type has a parent itself, but there are only two levels. Remove a ParentId.',
  ),
  duplicate_code: error(
    'Several rows have a code, number or name that must be unique; or several rows make one entity a client, an employee or a supplier; or there are several default rate sets. Change all but one.',
  ),
  code_taken: error(
    'Another record of the tenant has the code, number or name, and no row of the import takes it from that record; or the entity is another client, employee or supplier of the tenant already. Change it, or refer to that record.',
  ),
  duplicate_entry: error(
    'Two charges of a rate set are for the same work, or two control totals are for the same rows. Remove one.',
  ),
  too_many: error('A record has more parts (lines, charges, rates) than it can have. Divide it.'),
  rates_overlap: error(
    'Two rates for the same work, or of one tax code, are in force on the same day. End one before the other begins.',
  ),
  no_tax_rate: error(
    'There is no tax code for a line, or its code has no rate on the day of the invoice. Name a code, or add the rate.',
  ),
  period_reversed: error('Something ends before it begins. Correct one of the dates.'),
  after_cutover: error('A row is dated after the CutoverDate. Leave it out, or use a later CutoverDate.'),
  units_differ: error(
    'The Units of timed work do not follow from its DurationTicks. (A fraction of a unit may be kept, or rounded up or down.) Correct one of the two.',
  ),
  total_differs: error(
    'The lines of an invoice and their tax do not add up to its Total, or the Amount of a line is not its Units × Rate. Correct one of them.',
  ),
  payments_differ: error(
    'The payments of an invoice contradict its State, or are more than its total. Correct the State or the payments.',
  ),
  wrong_state: error(
    'The states of two rows contradict each other; or a row refers to a record that is not active; or a row lacks what its State requires, such as the day of a write-off; or two lines charge the same. Correct one of them.',
  ),
  wrong_kind: error(
    'A column does not fit the kind of its row: rows of that kind need it, do not have it, or need another value. Fill it in, empty it, correct it, or change the kind.',
  ),
  wrong_setting: error(
    'A value of Info, or the Scheme of a tax code, differs from the settings of the tenant; or SchemaVersion is not that of these tables; or SourceSystem is spelled differently from an earlier import. Correct it, or have the settings of the tenant changed.',
  ),
  one_row: error('Info has no row, or more than one. It must have exactly one.'),
  matter_differs: error(
    'Rows that belong together are for different matters or clients. Correct the reference.',
  ),
  edited_since_import: hindrance(
    'A row has changed, and its record was changed in the tenant, too, since its import. Make the same change in the source, or leave the row as it was at its import. (Of a person who was erased in the tenant, take over the name by which the tenant shows them, and no other personal data.)',
  ),
  cannot_change: hindrance(
    'A row has changed in a way in which its record cannot change. Leave the row as it was and add a new row; or, if a matter is closed on which the tenant has unbilled work, settle that work; or, if an invoice no longer charges some work or cost, or the other way round, add the row of the other one again.',
  ),
  control_total_differs: difference(
    'The rows do not add up to a ControlTotal. Correct the rows, or the total that the source system gave.',
  ),
  loaded_total_differs: difference(
    'The loaded records do not add up to the same total as the rows. This is a fault of the service: tell the operator.',
  ),
  replaced: warning(
    'A text has a character that cannot be stored (a NUL, or half of a surrogate pair). A replacement character is stored instead. Correct the text.',
  ),
  rounded: warning('An amount has more decimals than its currency; it is rounded half-up.'),
  charged_otherwise: warning(
    'A line charges a different amount from what its work or cost is worth. The difference is written off or up.',
  ),
  unused: warning(
    'A value has no meaning for such a row, or the tenant has a default of its own. The value is not imported.',
  ),
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
    'Every row is checked by every rule, so one report names everything. With an error an import is not loaded, and cannot be',
    'promoted. A warning prevents nothing. `loaded_total_differs` is found after loading. Before a promotion everything is',
    'checked again, as the tenant may have changed since.',
    '',
    'If a mistake may be in either of two rows, both are named. Control totals are compared even if rows have errors, so a',
    'wrong row may also appear as a difference of a total.',
    '',
    'A row that an earlier import has brought, and that has not changed since, gets no finding because of later changes of its',
    'record in the tenant. New and changed rows that refer to it are checked against the record as it is now.',
    '',
    '| code | severity | what it means, and what to do |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
