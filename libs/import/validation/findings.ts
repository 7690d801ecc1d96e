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
  required: error('A value that is required is empty. Fill it in.'),
  invalid_value: error(
    'A value is not of the kind that its column needs, or is blank; or a code has white space at its ends or is not ' +
      "in Unicode's form NFC. Correct it.",
  ),
  out_of_range: error('A number, an amount or a date is outside the range that is accepted. Correct it.'),
  too_long: error('A text is longer than its column allows. Shorten it.'),
  invalid_choice: error(
    'A value is not one of those that its column allows. Use one of them, in exactly the same spelling.',
  ),
  unknown_currency: error('A currency is not a code of ISO 4217. Use three capital letters such as GBP.'),
  currency_differs: error(
    'A currency is not the base currency of the tenant. Convert the amounts of the row.',
  ),
  duplicate_key: error(
    'Several rows of a table have the same ImportId, or an ImportId looks like the id of a record of the tenant. ' +
      'Give each row an ImportId of its own.',
  ),
  not_found: error(
    'A reference names neither a row nor a record of the tenant. Add the row, or correct the reference.',
  ),
  part_of_existing: error(
    'A row that is a part of a record, such as a line of an invoice, refers to a record that the tenant already has. ' +
      'An import cannot add parts to such a record. Refer to a row of the import.',
  ),
  cycle: error('The ParentIds of matter types form a circle. Remove one of them.'),
  too_deep: error('A matter type would be on a third level, and there are only two. Correct the ParentId.'),
  duplicate_code: error(
    'Several rows have the same code, number or name, which must be unique; or several rows make one entity a ' +
      'client, an employee or a supplier; or several rate sets are the default. Change all but one.',
  ),
  code_taken: error(
    'Another record of the tenant has the code, number or name, or already is the client, employee or supplier of ' +
      'the entity. Change the row, or refer to that record. A row can take over a code, number or name if the row of ' +
      'the other record changes to another one in the same import.',
  ),
  duplicate_entry: error(
    'Two entries of a rate set are for the same work, or two control totals are for the same measure and group. ' +
      'Remove one of them.',
  ),
  too_many: error(
    'A record has more parts, such as lines or rates, than are allowed. Divide it into several records.',
  ),
  rates_overlap: error(
    'Two rates for the same purpose are in force on the same day. End one before the other begins.',
  ),
  no_tax_rate: error(
    'There is no tax code for a line, or its tax code has no rate on the day of the invoice. Name a tax code, or add ' +
      'the rate.',
  ),
  period_reversed: error('A period ends before it begins. Correct one of the dates.'),
  after_cutover: error('A row is dated after the CutoverDate. Leave it out, or set a later CutoverDate.'),
  units_differ: error(
    'The Units of timed work do not agree with its DurationTicks, however a fraction of a unit is rounded. Correct ' +
      'one of the two.',
  ),
  total_differs: error(
    'The lines of an invoice and their tax do not add up to its Total, or the Amount of a line is not its Units × ' +
      'Rate. Correct one of them.',
  ),
  payments_differ: error(
    'The payments of an invoice do not agree with its State, or are more than its total. Correct the State or the ' +
      'payments.',
  ),
  wrong_state: error(
    'The states of rows contradict each other, or a row does not have what its state requires. Correct one of the ' +
      'rows.',
  ),
  wrong_kind: error(
    'A column does not fit the kind of its row: rows of that kind need it, do not have it, or need another value. ' +
      'Fill it in, empty it, correct it, or change the kind.',
  ),
  wrong_setting: error(
    'BaseCurrency, TimeZone or Scheme differs from that of the tenant; or SchemaVersion is not that of these tables; ' +
      'or SourceSystem is spelled otherwise than in an earlier import. Correct it, or have the setting of the tenant ' +
      'changed.',
  ),
  one_row: error('Info has no row, or more than one. It must have exactly one.'),
  matter_differs: error(
    'Rows that belong together are for different matters or clients. Correct the reference.',
  ),
  edited_since_import: hindrance(
    'A row has changed, and its record was changed in the tenant since its import. Make the change of the tenant in ' +
      'the source too, or leave the row as it was. (For a person whose data was erased, the source then has the name ' +
      'by which the tenant shows them, and no other personal data.)',
  ),
  cannot_change: hindrance(
    'A row has changed in a way that its record does not allow, such as closing a matter on which the tenant has ' +
      'unbilled work. Leave the row as it was and make a new one, or settle in the tenant what prevents the change. Or ' +
      'an invoice and what it charges were separated, and one of the two has no row in this import. Include that row ' +
      'again.',
  ),
  control_total_differs: difference(
    'The rows do not add up to a ControlTotal. Correct the rows, or the total that the source system gave.',
  ),
  loaded_total_differs: difference(
    'What was loaded does not add up to the same as the rows. This is a fault of the service: tell the operator.',
  ),
  replaced: warning(
    'A text has a character that cannot be stored: a NUL, or half of a surrogate pair. U+FFFD is stored in its ' +
      'place. Correct the text.',
  ),
  rounded: warning('An amount has more decimals than its currency. It is rounded half-up.'),
  charged_otherwise: warning(
    'A line charges more or less than its work or cost is worth. The difference is written up or off.',
  ),
  unused: warning('A value has no meaning for such a row. It is not imported.'),
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
    'Every row is checked by every rule, so that one report shows all mistakes. An import with an error cannot be promoted; a',
    'warning does not prevent that. If a mistake may be in either of two rows, both have a finding, although correcting one is',
    'enough. Control totals have findings too when they differ only because of other mistakes. A row that is the same as in an',
    'earlier import has no finding because of what has become of its record in the tenant since, with two exceptions: a row that',
    'names by id another record of the tenant, which was deleted since, and a line of an invoice for which no tax code is left.',
    'New and changed rows that refer to the record are checked against what it is now.',
    '',
    '| code | severity | what it means, and what to do |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
