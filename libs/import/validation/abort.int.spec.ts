import { writeFirm } from '../../../test/support/firms/write-firm';
import { type Imports, openImports } from '../testing/import-parts';
import { stageSource } from '../testing/staged-source';
import { validationOf } from './testing/validation-of';

describe('a validation that is stopped in the middle', () => {
  let imports: Imports;

  beforeAll(async () => {
    imports = await openImports('uk');
    await imports.dropStandardCodes();
    await writeFirm(imports.client, { items: 100 });
  });
  afterAll(() => imports.close());

  it('ends with the reason, and finds the same when it begins again', async () => {
    const abort = new AbortController();
    const reason = new Error('The lease was lost.');
    const first = await imports.run();
    await stageSource(imports.client, first.staging);
    await imports.client.query(
      `update ${first.staging.schema}."WorkItem" set "State" = 'Open' where "ImportId" = 'WI-1'`,
    );
    const stopped = { ...first, signal: abort.signal, report: () => abort.abort(reason) };
    await expect(validationOf(imports).validate(stopped)).rejects.toBe(reason);
    const { errors } = await validationOf(imports).validate(first);
    const findings = await imports.sql<{ code: string }>(
      `select code from import.findings where request_id = $1 and table_name = 'WorkItem' and import_id = 'WI-1'`,
      [first.requestId],
    );
    expect(findings).toEqual([{ code: 'invalid_choice' }]);
    const all = await imports.sql('select from import.findings where request_id = $1', [first.requestId]);
    expect(all.length).toBe(errors);
  });
});
