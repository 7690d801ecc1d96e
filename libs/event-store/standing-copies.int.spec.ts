import { Client } from 'pg';
import { CopyStream } from '#platform/database/copy-rows';
import { endStandingCopies } from '#platform/database/standing-copies';
import { createTestStore, type TestStore } from '../../test/support/store';
import { waitFor } from '../../test/support/wait-for';
import { Parent } from './testing/streams';

describe('sessions that stand still and hold the feed back', () => {
  let store: TestStore;
  let sessions: Client[];
  beforeEach(async () => {
    store = await createTestStore([Parent]);
    sessions = [];
  });
  afterEach(async () => {
    await Promise.all(sessions.map((session) => session.end()));
    await store.close();
  });

  /** A session that has written, and then does nothing any more. */
  async function writer(): Promise<Client> {
    const client = new Client(store.url);
    client.on('error', () => undefined);
    await client.connect();
    sessions.push(client);
    await client.query('create table if not exists written (id integer)');
    await client.query('begin; insert into written values (1)');
    return client;
  }
  /** A session that froze after copying its first rows. */
  async function copier(): Promise<CopyStream> {
    const stream = new CopyStream(await writer(), 'written');
    await stream.write(Buffer.from('2\n'));
    return stream;
  }

  it('are ended only when they wait for rows of a COPY, and not before the time limit', async () => {
    const copies = [await copier(), await copier()];
    const other = await writer();
    expect(await endStandingCopies(store.writes.pool)).toBe(0);
    let ended = 0;
    const bothEnded = async () => {
      ended += await endStandingCopies(store.writes.pool, 1);
      return ended === copies.length;
    };
    await waitFor(bothEnded, { description: 'both copies to be ended' });
    for (const copy of copies) await expect(copy.end()).rejects.toThrow(/terminat/);
    expect((await other.query('select')).rowCount).toBe(1);
    expect(await endStandingCopies(store.writes.pool, 1)).toBe(0);
  });
});
