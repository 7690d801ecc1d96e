import { writeFaultyFirm } from '../../../test/support/firms/faulty-firm';
import type { PlantedFinding } from '../../../test/support/firms/faulty-planter';
import { type Imports, openImports } from '../testing/import-parts';
import { stageSource } from '../testing/staged-source';
import { findingKinds } from './findings';
import { validationOf } from './testing/validation-of';

describe('a firm with mistakes', () => {
  let imports: Imports;
  let planted: PlantedFinding[];
  let run: Awaited<ReturnType<Imports['run']>>;

  beforeAll(async () => {
    imports = await openImports('uk');
    await imports.dropStandardCodes();
    planted = await writeFaultyFirm(imports.client);
    run = await imports.run();
    await stageSource(imports.client, run.staging);
  });
  afterAll(() => imports.close());

  const found = () =>
    imports.sql<PlantedFinding & { message: string }>(
      `select severity, code, table_name as "table", import_id as "importId", column_name as "column", message
       from import.findings where request_id = $1 and code <> 'control_total_differs'`,
      [run.requestId],
    );

  it('gets a finding about each mistake, and no others', async () => {
    const counts = await validationOf(imports).validate(run);
    const findings = await found();
    const lines = (all: PlantedFinding[]) =>
      all
        .map(
          ({ severity, code, table, importId, column }) =>
            `${table} ${importId} ${column}: ${severity} ${code}`,
        )
        .sort();
    expect(lines(findings)).toEqual(lines(planted));
    const errors = planted.filter(({ severity }) => severity === 'error').length;
    const differing = await imports.sql<{ import_id: string; column_name: string }>(
      `select import_id, column_name from import.findings where request_id = $1 and code = 'control_total_differs'`,
      [run.requestId],
    );
    expect(counts).toEqual({ errors: errors + differing.length, warnings: planted.length - errors });
    // The planted faults change the totals of the firm, which are compared nevertheless.
    const { rows } = await imports.client.query<{ import_id: string }>(
      `select "ImportId" as import_id from etl."ControlTotal" where "Measure" = 'Rows' and "GroupKey" = 'WorkItem'`,
    );
    expect(differing).toContainEqual({ ...rows[0], column_name: 'Count' });
    for (const { message } of findings) expect(message).toMatch(/^[A-Z\d].*\.$/s);
  });

  it('gets the same findings, and none twice, when the step begins again', async () => {
    const before = await found();
    await validationOf(imports).validate(run);
    expect((await found()).length).toBe(before.length);
  });

  it('has the rejected rows of each table counted', () => {
    const keys = new Map<string, Set<string | null>>();
    for (const { severity, table, importId } of planted)
      if (severity === 'error') keys.set(table, (keys.get(table) ?? new Set()).add(importId));
    // Two rows of Division share a key. The finding about Info as a whole rejects no row.
    const rejected = (table: string) =>
      (keys.get(table)?.size ?? 0) + (table === 'Division' ? 1 : table === 'Info' ? -1 : 0);
    for (const [table, counts] of run.counts)
      expect([table, counts.rejected]).toEqual([table, rejected(table)]);
  });

  it('has every mistake that validation has a code for', () => {
    const codes = Object.entries(findingKinds).filter(([, { step }]) => step === 'Validating');
    expect(new Set(planted.map(({ code }) => code))).toEqual(new Set(codes.map(([code]) => code)));
  });
});
