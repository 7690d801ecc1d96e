import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { ConfigError, loadConfig } from '#platform/config';
import { ImportSettings } from '../import-settings';
import { SourceHosts } from './source-hosts';
import { Sources } from './sources';

it('uses the file of certificate authorities as soon as it can be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'practice-import-'));
  try {
    const file = join(folder, 'ca.pem');
    const allowed = loadConfig({ IMPORT_ALLOW_INSECURE: 'true', IMPORT_ALLOWED: '127.0.0.1:1' });
    const config = Object.assign(allowed, { IMPORT_CA_FILE: file });
    const sources = new Sources(new SourceHosts(config), config, new ImportSettings());
    const open = () =>
      sources.open(
        // No server listens at this port.
        'Server=127.0.0.1,1;User ID=reader;Password=pw;Encrypt=false',
        new AbortController().signal,
      );
    await expect(open()).rejects.toThrow(ConfigError);
    await writeFile(file, rootCertificates[0]);
    await expect(open()).rejects.toMatchObject({ code: 'connection_refused' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
