import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { writeFirm } from '../../test/support/firms/write-firm';
import { waitFor } from '../../test/support/wait-for';
import { ImportSettings } from './import-settings';
import { LeaseLost } from './requests/import-request';
import { ImportRequests } from './requests/import-requests';
import { ImportTurn } from './requests/import-turn';
import { type Imports, openImports } from './testing/import-parts';
import { stageSource } from './testing/staged-source';
import { validationOf } from './validation/testing/validation-of';

describe('a worker that stood still until another had taken the import', () => {
  let imports: Imports;
  let turns: ImportTurn[];
  let stalled: ImportTurn;
  let other: ImportTurn;

  beforeEach(async () => {
    imports = await openImports();
    await imports.dropStandardCodes();
    await writeFirm(imports.client, { items: 50 });
    imports.runner.start();
    await imports.run();
    turns = [];
    stalled = await take();
    other = await take();
    await stageSource(imports.client, other.staging);
  });
  afterEach(async () => {
    for (const turn of turns) await turn.close();
    await imports.close();
  });

  /** Has another worker take the import, as soon as the lease of the one before has ended. */
  async function take(): Promise<ImportTurn> {
    const worker = randomUUID();
    const database = imports.store.writes;
    // A worker that stands still renews no lease.
    const settings = Object.assign(new ImportSettings(), { heartbeatMs: 3_600_000, leaseMs: 1 });
    const requests = new ImportRequests(database, settings);
    const taken = await waitFor(() => requests.take(worker), { description: 'the lease to end' });
    const turn = new ImportTurn(taken!, { worker, requests, log: new Logger() });
    turns.push(turn);
    return turn;
  }

  it('leaves the staging tenant alone', async () => {
    const { id } = await imports.loading().load(other);
    await expect(imports.loading().load(stalled)).rejects.toBeInstanceOf(LeaseLost);
    expect((await imports.tenants.get('firm--staging')).id).toBe(id);
  });

  it('leaves the findings alone', async () => {
    await validationOf(imports).validate(other);
    await imports.client.query(
      `insert into import.findings (request_id, severity, code, table_name, message)
       values ($1, 'warning', 'unused', 'Matter', 'A warning')`,
      [other.requestId],
    );
    await expect(validationOf(imports).validate(stalled)).rejects.toBeInstanceOf(LeaseLost);
    expect(await imports.sql('select message from import.findings')).toEqual([{ message: 'A warning' }]);
  });
});
