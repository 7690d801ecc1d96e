import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform/database/embedded-postgres';
import { ApiClient, requestToken } from '../support/client';
import { createDataDir } from '../support/data-dir';
import { Office } from './office';
import { columns, workItemListing } from './specification-walk';

const dir = createDataDir();
const startServer = () =>
  startEmbeddedPostgres({ dataDir: dir.path, log() {}, settings: { fsync: 'off', shared_buffers: '64MB' } });

describe('a server that is a standby', () => {
  let server: EmbeddedPostgres;
  let office: Office;
  beforeAll(async () => {
    server = await startServer();
    office = await Office.create({ DATABASE_URL: server.url, READ_DATABASE_URL: server.url });
  });
  afterAll(async () => {
    await office?.close();
    await server?.stop();
    dir.remove();
  });

  it('serves the reads of processes that start meanwhile, and the commands that only read', async () => {
    const local = await office.start('local');
    await office.cli('tenants', 'create', '--alias', 'acme', '--name', 'Acme');
    const credentials = await office.integration('acme');
    const writer = await office.caller('acme', credentials);
    const id = await writer.create('roles', { name: 'Partner' });
    const role = await writer.data('GET', `roles/${id}`);
    expect(await local.stop('SIGTERM')).toBe(0);
    await server.stop();

    // With nothing to follow, it waits for the next piece of the log for ever.
    writeFileSync(join(dir.path, 'postgres/data/standby.signal'), '');
    server = await startServer();
    const query = await office.start('query', { DATABASE_URL: server.url, READ_DATABASE_URL: server.url });
    const at = { writes: query.baseUrl, reads: query.baseUrl };
    const reader = new ApiClient('acme', writer.token, at);
    expect(await reader.data('GET', `roles/${id}`)).toEqual(role);
    expect(await reader.rows('roles')).toContainEqual(expect.objectContaining({ id }));
    const slice = { cols: columns(['state', 'totalBase:count']), rowGroups: columns(['state']) };
    const report = await reader.graphql(workItemListing, { criteria: {}, slice });
    expect(report.body.data.work_item_listing).toEqual([]);

    const command = await office.start('command', {
      DATABASE_URL: server.url,
      READ_DATABASE_URL: server.url,
    });
    const asked = await requestToken(command.baseUrl, credentials);
    expect([asked.status, asked.body.error]).toEqual([503, 'temporarily_unavailable']);
    expect(command.output()).not.toContain('"level":50');

    expect(await office.cli('tenants', 'list')).toContainEqual(expect.objectContaining({ alias: 'acme' }));
    expect(await office.cli('audit', 'verify')).toMatchObject({ intact: true });
    expect(query.output()).not.toContain('"level":50');
  });
});
