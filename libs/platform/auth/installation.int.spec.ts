import { randomBytes, randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { SystemClock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { Secrets } from '#platform/secrets';
import { testConfig } from '../../../test/support/auth-application';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { ensureInstallation } from './installation';
import { SigningKeys } from './signing-keys';
import { partitionOf, Tenants } from './tenants';

describe('the installation', () => {
  let test: TestDatabase;
  let database: WriteDatabase;
  const secrets = new Secrets(randomBytes(32));
  const otherSecrets = new Secrets(randomBytes(32));

  const start = (given: Partial<{ REGION: 'uk' | 'au'; PARTITIONS: number; secrets: Secrets }> = {}) =>
    ensureInstallation(database.pool, { REGION: 'au', ...given }, given.secrets ?? secrets);

  beforeEach(async () => {
    test = await createTestDatabase();
    database = new WriteDatabase(testConfig(test.url));
  });
  afterEach(async () => {
    await database.onApplicationShutdown();
    await test.drop();
  });

  it('is recorded once when several processes start at once', async () => {
    const starts = Array.from({ length: 5 }, () => start({ PARTITIONS: 4 }));
    const installations = await Promise.all(starts);
    expect(new Set(installations.map(({ id }) => id)).size).toBe(1);
    expect(installations[0]).toMatchObject({ region: 'au', partitions: 4 });
  });

  it('keeps its partitions, and warns of another number', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    expect(await start()).toMatchObject({ partitions: 12 });
    await start({ PARTITIONS: 12 });
    expect(warned).not.toHaveBeenCalled();
    expect(await start({ PARTITIONS: 4 })).toMatchObject({ partitions: 12 });
    expect(warned.mock.calls).toEqual([
      ['PARTITIONS is 4, but this database was installed with 12, which still holds'],
    ]);
    warned.mockRestore();
  });

  it('refuses another region, in one line', async () => {
    await start();
    await expect(start({ REGION: 'uk' })).rejects.toMatchObject({
      problems: ['REGION is uk, but this database was installed for au; a deployment serves one region'],
    });
  });

  it('spreads tenants over its partitions, each always on the same one', async () => {
    const installation = await start({ PARTITIONS: 4 });
    const tenants = new Tenants(database, installation);
    const aliases = Array.from({ length: 30 }, (_, n) => `firm-${n}`);
    const registered = await Promise.all(aliases.map((alias) => tenants.register({ alias })));
    expect(registered.map(({ partition }) => partition)).toEqual(
      aliases.map((alias) => partitionOf(alias, 4)),
    );
    expect(new Set(registered.map(({ partition }) => partition))).toEqual(new Set([0, 1, 2, 3]));
    expect(registered.every(({ region }) => region === 'au')).toBe(true);
    // A change here would move every tenant's events to another partition.
    expect(partitionOf('acme', 12)).toBe(1);
  });

  describe('and its secrets key', () => {
    const refusal = { problems: ['SECRETS_KEY is not the key that this database was installed with'] };

    /** Makes the database as it was before there were checks. */
    const forgetCheck = () => database.pool.query('update platform.installation set key_check = null');

    it('refuses another key, in one line', async () => {
      await start();
      await expect(start({ secrets: otherSecrets })).rejects.toMatchObject(refusal);
      await start();
    });

    it('accepts only one key when processes with different keys start at once', async () => {
      const starts = Array.from({ length: 6 }, (_, n) => start({ secrets: n % 2 ? secrets : otherSecrets }));
      const outcomes = (await Promise.allSettled(starts)).map(({ status }) => status);
      expect(new Set([outcomes[0], outcomes[2], outcomes[4]]).size).toBe(1);
      expect(new Set([outcomes[1], outcomes[3], outcomes[5]]).size).toBe(1);
      expect(outcomes[0]).not.toBe(outcomes[1]);
    });

    it('records the key of the next start when none is recorded and nothing is sealed yet', async () => {
      await start();
      await forgetCheck();
      await start({ secrets: otherSecrets });
      await expect(start()).rejects.toMatchObject(refusal);
    });

    it('when none is recorded, accepts only the key that opens the signing key', async () => {
      await start();
      await new SigningKeys(database, secrets, new SystemClock()).rotate();
      await forgetCheck();
      await expect(start({ secrets: otherSecrets })).rejects.toMatchObject(refusal);
      await start();
      await expect(start({ secrets: otherSecrets })).rejects.toMatchObject(refusal);
    });

    it('when none is recorded and no token was issued, accepts only the key that opens the keys of people', async () => {
      await start();
      const insert = 'insert into event_store.subject_keys (tenant_id, subject, wrapped) values (1, $1, $2)';
      await database.pool.query(insert, [randomUUID(), null]);
      await database.pool.query(insert, [randomUUID(), secrets.wrapKey(randomBytes(32))]);
      await forgetCheck();
      await expect(start({ secrets: otherSecrets })).rejects.toMatchObject(refusal);
      await start();
      await expect(start({ secrets: otherSecrets })).rejects.toMatchObject(refusal);
    });
  });
});
