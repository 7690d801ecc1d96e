import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { writeFirm } from '../../../test/support/firms/write-firm';
import { waitFor } from '../../../test/support/wait-for';
import { ImportSettings } from '../import-settings';
import { LeaseLost } from '../requests/import-request';
import { ImportRequests } from '../requests/import-requests';
import { ImportTurn } from '../requests/import-turn';
import { openImports } from '../testing/import-parts';
import { stageSource } from '../testing/staged-source';

it('a worker that stood still until another had loaded the import leaves the staging tenant alone', async () => {
  const imports = await openImports();
  const turns: ImportTurn[] = [];
  try {
    await imports.dropStandardCodes();
    await writeFirm(imports.client, { items: 50 });
    imports.runner.start();
    await imports.run();
    const database = imports.store.writes;
    // A worker that stands still renews no lease.
    const settings = Object.assign(new ImportSettings(), { heartbeatMs: 3_600_000, leaseMs: 1 });
    const requests = new ImportRequests(database, settings);
    const take = async () => {
      const worker = randomUUID();
      const taken = await waitFor(() => requests.take(worker), { description: 'the lease to end' });
      turns.push(new ImportTurn(taken!, { worker, requests, database, settings, log: new Logger() }));
    };
    await take();
    await take();
    const [stalled, other] = turns;
    await stageSource(imports.client, other.staging);
    const { id } = await imports.loading().load(other);
    await expect(imports.loading().load(stalled)).rejects.toBeInstanceOf(LeaseLost);
    expect((await imports.tenants.get('firm--staging')).id).toBe(id);
  } finally {
    for (const turn of turns) await turn.close();
    await imports.close();
  }
});
