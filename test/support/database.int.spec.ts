import { createTestDatabase, execute } from './database';

describe('createTestDatabase', () => {
  it('gives each test a migrated database of its own', async () => {
    const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    try {
      await execute(one.url, 'CREATE TABLE only_here (id int)');
      const tables = 'SELECT tablename FROM pg_tables WHERE tablename = ANY($1) ORDER BY 1';
      const names = [['only_here', 'migrations_write', 'migrations_read']];
      const namesIn = async (url: string) =>
        (await execute<{ tablename: string }>(url, tables, names)).map((row) => row.tablename);
      expect(await namesIn(one.url)).toEqual(['migrations_read', 'migrations_write', 'only_here']);
      expect(await namesIn(other.url)).toEqual(['migrations_read', 'migrations_write']);
    } finally {
      await Promise.all([one.drop(), other.drop()]);
    }
  });
});
