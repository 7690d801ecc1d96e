import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient, requestToken } from '../support/client';
import { createDataDir } from '../support/data-dir';
import { type RunningApp, startApp } from '../support/process';
import { columns, expectReports, type Walked, walk, workItemListing } from './specification-walk';

const demo = { clientId: 'demo-client', clientSecret: 'demo-secret' };

async function demoCaller({ baseUrl }: RunningApp): Promise<ApiClient> {
  const { status, body } = await requestToken(baseUrl, demo);
  expect(status).toBe(200);
  return new ApiClient('demo', body.access_token, { writes: baseUrl, reads: baseUrl });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe.each([
  ['uk', 'GBP'],
  ['au', 'AUD'],
])('npm start in region %s', (region, currency) => {
  const folder = createDataDir();
  let app: RunningApp;
  let walked: Walked;
  const start = () => startApp('local', { DATA_DIR: folder.path, REGION: region, NODE_ENV: 'development' });
  const postgresPid = () =>
    Number(readFileSync(join(folder.path, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);

  afterAll(async () => {
    await app?.stop('SIGKILL');
    folder.remove();
  });

  it('carries out the main path of the specification in an empty folder', async () => {
    app = await start();
    const api = await demoCaller(app);
    walked = await walk(api, currency);
    await expectReports(api, walked);
    const slice = { cols: columns(['state', 'totalBase:count']), rowGroups: columns(['state']) };
    const { body } = await api.graphql(workItemListing, { criteria: {}, slice });
    // The demo firm's work is there as well.
    expect(body.data.work_item_listing.map(({ state }: { state: string }) => state)).toContain('Billed');
    expect(app.output()).toContain(`${app.baseUrl}/demo/api/v1`);
    expect(app.output().match(/^(TOKEN=\$\()?curl /gm)).toHaveLength(3);
    expect(app.output()).not.toMatch(/"level":(50|60)/);
  });

  it('stops cleanly on Ctrl-C, together with its PostgreSQL', async () => {
    const pid = postgresPid();
    expect(await app.stop('SIGINT')).toBe(0);
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(join(folder.path, 'postgres/data/postmaster.pid'))).toBe(false);
  });

  it('finds its data at the next start, and after it was killed', async () => {
    app = await start();
    await expectReports(await demoCaller(app), walked);
    expect(await app.stop('SIGKILL')).toBeNull();
    app = await start();
    const api = await demoCaller(app);
    await expectReports(api, walked);
    await api.data('PATCH', `matters/${walked.matterId}`, { title: 'After all' });
    expect(await api.data('GET', `matters/${walked.matterId}`)).toMatchObject({ title: 'After all' });
    expect(await app.stop('SIGTERM')).toBe(0);
  });

  it('ends with a reason when its PostgreSQL is killed, and finds its data when it is started again', async () => {
    app = await start();
    process.kill(postgresPid(), 'SIGKILL');
    expect(await app.exited).toBe(1);
    expect(app.output()).toContain('PostgreSQL has stopped unexpectedly: see ');
    app = await start();
    await expectReports(await demoCaller(app), walked);
    expect(await app.stop('SIGTERM')).toBe(0);
  });
});
