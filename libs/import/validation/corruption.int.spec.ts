import * as fc from 'fast-check';
import { writeFirm } from '../../../test/support/firms/write-firm';
import { Reconciliation } from '../reconciliation/reconciliation';
import { tables } from '../schema/schema-1.0';
import { type Imports, openImports } from '../testing/import-parts';
import { stageSource } from '../testing/staged-source';
import { checkedRowsOf, validationOf } from './testing/validation-of';

/** Texts to put into cells: values of other types, and values at the limits of types. */
const texts = fc.oneof(
  fc.constantFrom(
    null,
    '',
    ' ',
    '\t',
    '-',
    '0',
    '1',
    '-1',
    '2',
    '1.',
    '.5',
    '0.00001',
    '1e5',
    'NaN',
    'infinity',
  ),
  fc.constantFrom('9'.repeat(15), '9'.repeat(40), '-0.0000', '99999.0000000001', '0x10', '١٢', '+1', 'true'),
  fc.constantFrom('2026-02-30', '0000-00-00', '2025-06-30', '9999-12-31', 'now', 'today', 'epoch'),
  fc.constantFrom('2025-06-30T24:00:00', '2025-06-30T12:00:60', '2025-02-29T00:00:00.0000000'),
  fc.constantFrom('2025-06-30T12:00:00.9999999', '2025-06-30T12:00:00Z', '2025-06-30T12:00:00+01:00'),
  fc.constantFrom(
    "'; drop table x; --",
    '\\',
    '%s',
    '{value}',
    '{}',
    '\u001f',
    '\u00a0',
    '\ufeff',
    '👩🏽‍⚖️',
    'x'.repeat(3_000),
  ),
  fc.constantFrom(
    `client_${'0a'.repeat(16)}`,
    `taxcode_${'0b'.repeat(16)}`,
    'client_',
    'CLI-1',
    'MAT-1',
    'EMP-1',
  ),
  fc.constantFrom(
    'Pending',
    'Billed',
    'WrittenOff',
    'Draft',
    'Voided',
    'Paid',
    'Closed',
    'Inactive',
    'GBP',
    'JPY',
  ),
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
);

/** A text, or the number of a row from which to take the column's value. */
const values = fc.oneof(texts, fc.nat(10_000));

const cells = tables.flatMap(({ name, columns }) =>
  columns.map((column) => ({ table: name, column: column.name })),
);

describe('a firm of which one cell is changed', () => {
  let imports: Imports;
  let run: Awaited<ReturnType<Imports['run']>>;

  beforeAll(async () => {
    imports = await openImports('uk');
    await imports.dropStandardCodes();
    await writeFirm(imports.client, { items: 60 });
    run = await imports.run();
    await stageSource(imports.client, run.staging);
    imports.runner.start();
  });
  afterAll(() => imports.close());

  /** Replaces the value of a row's cell while the work lasts. */
  async function corrupted(
    { table, column }: { table: string; column: string },
    nth: number,
    value: string | number | null,
    work: () => Promise<void>,
  ) {
    const target = run.staging.table(table);
    await imports.client.query(`create table kept as select ctid as place, * from ${target}`);
    try {
      const nthOf = (what: string, number: string) =>
        `(select ${what} from kept order by ctid offset ${number}::int % (select count(*) from kept) limit 1)`;
      const now = typeof value === 'number' ? nthOf(`"${column}"`, '$1') : '$1';
      await imports.client.query(
        `update ${target} set "${column}" = ${now} where ctid = ${nthOf('place', '$2')}`,
        [value, nth],
      );
      await work();
    } finally {
      await imports.client.query(`truncate ${target}`);
      await imports.client.query('alter table kept drop column place');
      await imports.client.query(`insert into ${target} select * from kept`);
      await imports.client.query('drop table kept');
    }
  }

  it('can be validated whatever the cell holds, and if it has no errors, it is loaded with equal totals', async () => {
    const reconciliation = new Reconciliation(checkedRowsOf(imports), imports.store.reads);
    let loaded = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...cells), fc.nat(10_000), values, async (cell, nth, value) => {
        await corrupted(cell, nth, value, async () => {
          const { errors } = await validationOf(imports).validate(run);
          if (errors > 0) return;
          const staging = await imports.loading().load(run);
          await reconciliation.reconcile(run, staging);
          const differences = await imports.sql(
            `select message from import.findings where request_id = $1 and code = 'loaded_total_differs'`,
            [run.requestId],
          );
          expect(differences).toEqual([]);
          loaded++;
        });
      }),
      { numRuns: 25 },
    );
    expect(loaded).toBeGreaterThan(0);
  });
});
