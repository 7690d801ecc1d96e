import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedBinaries, postgresAccount, usableBinaries } from './postgres-binaries';

describe('usableBinaries', () => {
  it('copies an installation that is private and lacks its symbolic links', () => {
    const installation = mkdtempSync(join(tmpdir(), 'practice-binaries-'));
    const native = join(installation, 'native');
    let copy = '';
    try {
      cpSync(installedBinaries(), native, {
        recursive: true,
        filter: (path) => !lstatSync(path).isSymbolicLink(),
      });
      writeFileSync(join(installation, 'package.json'), JSON.stringify({ version: `0.0.${process.pid}` }));
      const log = jest.fn();
      const account = postgresAccount();

      copy = usableBinaries(account, log, native);

      expect(copy).toContain(`0.0.${process.pid}`);
      expect(readdirSync(join(copy, 'lib'))).toEqual(readdirSync(join(installedBinaries(), 'lib')));
      expect(log).toHaveBeenCalledTimes(1);
      expect(usableBinaries(account, log, native)).toBe(copy);
      expect(log).toHaveBeenCalledTimes(1);
    } finally {
      rmSync(installation, { recursive: true });
      if (copy) rmSync(copy, { recursive: true });
    }
  });
});
