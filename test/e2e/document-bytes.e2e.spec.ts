import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { truncateSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { FolderStorage } from '#platform/storage/folder-storage';
import { definitions } from '#practice/areas';
import { DocumentSweep } from '#practice/documents/document.sweep';
import type { ApiClient } from '../support/client';
import { nodeFlags } from '../support/deployed';
import { memoryOf } from '../support/memory';
import type { RunningApp } from '../support/process';
import { SetClock } from '../support/set-clock';
import { openStore } from '../support/store';
import { waitFor } from '../support/wait-for';
import { storedFiles } from './documents';
import { Office } from './office';
import { matter } from './records';

/**
 * Uploads and downloads at their limits, and ones that are interrupted, with separate processes for writes and reads.
 */

const MIB = 1024 ** 2;
/** The limit of memory in bytes, for a process with the flags of package.json and of the deployment. */
const LIMIT = 200_000_000;
let office: Office;
let command: RunningApp;
let query: RunningApp;
let api: ApiClient;
let collectionId: string;

beforeAll(async () => {
  office = await Office.create();
  // Without the tests' cache of modules, which changes the use of memory.
  command = await office.start('command', {}, nodeFlags('command'));
  [query] = await Promise.all([office.start('query', {}, nodeFlags('query')), office.start('projector')]);
  await office.cli('tenants', 'create', '--alias', 'leeds', '--name', 'Firm');
  const at = { reads: query.baseUrl };
  api = await office.caller('leeds', await office.integration('leeds'), { at });
  collectionId = await api.create('documentcollections', { name: 'Letters', subjectId: await matter(api) });
});
afterAll(() => office.close());

/** Bytes that are generated on demand; each MiB is different. */
function* madeUp(mebibytes: number): Generator<Buffer> {
  for (let number = 0; number < mebibytes; number++) yield Buffer.alloc(MIB, `${number} `);
}
function digestOf(mebibytes: number): string {
  const hash = createHash('sha256');
  for (const chunk of madeUp(mebibytes)) hash.update(chunk);
  return hash.digest('hex');
}
const path = () => `/leeds/api/v1/documents?fileName=large.bin&documentCollectionId=${collectionId}`;
const headers = () => ({ Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/octet-stream' });

/**
 * Sends bytes to `command`, no faster than it takes them, until it answers. @returns the answer and the greatest use of
 * memory
 */
async function send(bytes: Iterable<Buffer>, more: Record<string, string> = {}) {
  const asking = request(`${command.baseUrl}${path()}`, {
    method: 'POST',
    headers: { ...headers(), ...more },
  });
  let isAnswered = false;
  const answered = once(asking, 'response').then(([answer]) => {
    isAnswered = true;
    return answer;
  });
  let memory = 0;
  for (const chunk of bytes) {
    if (!asking.write(chunk)) await Promise.race([once(asking, 'drain'), answered]);
    if (isAnswered) break;
    memory = Math.max(memory, memoryOf(command.pid));
  }
  if (!isAnswered) asking.end();
  const answer = await answered;
  let text = '';
  for await (const chunk of answer) text += chunk;
  asking.destroy();
  return { status: answer.statusCode, body: JSON.parse(text), memory };
}

describe('100 MiB', () => {
  let id: string;

  it('is uploaded with less than 200 MB of memory', async () => {
    const { status, body, memory } = await send(madeUp(100));
    expect([status, body.data.size, body.data.sha256]).toEqual([201, 100 * MIB, digestOf(100)]);
    id = body.data.id;
    expect(memory).toBeGreaterThan(50 * MIB);
    expect(memory).toBeLessThan(LIMIT);
  });

  it('is uploaded in a form with less than 200 MB of memory', async () => {
    const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="form.bin"\r\n\r\n`;
    function* form() {
      yield Buffer.from(head);
      yield* madeUp(100);
      yield Buffer.from('\r\n--b--\r\n');
    }
    const type = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const { status, body, memory } = await send(form(), type);
    expect([status, body.data.size, body.data.sha256]).toEqual([201, 100 * MIB, digestOf(100)]);
    expect(memory).toBeLessThan(LIMIT);
  });

  it('is downloaded with less than 200 MB of memory', async () => {
    const address = `${query.baseUrl}/leeds/api/v1/documents/${id}/download`;
    const { body } = await fetch(address, { headers: headers() });
    const hash = createHash('sha256');
    let memory = 0;
    for await (const chunk of body!) {
      hash.update(chunk);
      memory = Math.max(memory, memoryOf(query.pid));
    }
    expect(hash.digest('hex')).toBe(digestOf(100));
    expect(memory).toBeLessThan(LIMIT);
  });

  it('is interrupted when the file no longer has the stored bytes', async () => {
    const stored = storedFiles(office);
    const { body } = await send(madeUp(1));
    const [file] = storedFiles(office).filter((name) => !stored.includes(name));
    writeFileSync(file, Buffer.alloc(MIB, 'x'));
    await api.data('GET', `documents/${body.data.id}`);
    const answer = await fetch(`${query.baseUrl}/leeds/api/v1/documents/${body.data.id}/download`, {
      headers: headers(),
    });
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(MIB)]);
    await expect(answer.arrayBuffer()).rejects.toThrow();
    await waitFor(() => office.output().includes('its bytes are not those that were stored'), {
      description: 'a line about the bytes',
    });
    truncateSync(file, 5);
    expect((await api.get(`documents/${body.data.id}/download`)).body.code).toBe('content_unavailable');
  });
});

describe('refused and interrupted uploads leave nothing', () => {
  let before: string[];
  beforeEach(() => {
    before = storedFiles(office);
  });
  const nothingLeft = () =>
    waitFor(() => String(storedFiles(office)) === String(before), { description: 'nothing to be left' });

  it.each([
    ['said beforehand', { 'Content-Length': String(101 * MIB) }],
    ['found out', {}],
  ])('101 MiB, %s', async (_when, more) => {
    const { status, body } = await send(madeUp(101), more);
    expect([status, body.code, body.detail]).toEqual([
      413,
      'body_too_large',
      'At most 100 MiB can be uploaded.',
    ]);
    await nothingLeft();
  });

  it('101 MiB in a form', async () => {
    const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="form.bin"\r\n\r\n`;
    const type = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const { status, body } = await send([Buffer.from(head), ...madeUp(101)], type);
    expect([status, body.code]).toEqual([413, 'body_too_large']);
    await nothingLeft();
  });

  /** Sends the beginning of a request, waits for its file, and then ends the connection. */
  async function breakOff(type: string, bytes: string, length: number): Promise<string> {
    const socket = connect(Number(new URL(command.baseUrl).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    const lines = [`POST ${path()} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${api.token}`];
    lines.push(`Content-Type: ${type}`, `Content-Length: ${length}`, '', bytes);
    socket.write(lines.join('\r\n'));
    await waitFor(() => storedFiles(office).length > before.length, { description: 'the upload to begin' });
    socket.end();
    await once(socket, 'close');
    return answer;
  }

  it('an upload that ends early', async () => {
    expect(await breakOff('text/plain', 'a beginning', 1000)).toMatch(/^HTTP\/1\.1 400 /);
    await nothingLeft();
  });

  it('a form that ends early', async () => {
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\na beginning';
    expect(await breakOff('multipart/form-data; boundary=b', part, 1000)).toMatch(/^HTTP\/1\.1 400 /);
    await nothingLeft();
  });

  it('a client that resets its connection', async () => {
    const socket = connect(Number(new URL(command.baseUrl).port), '127.0.0.1');
    const type = 'Content-Type: text/plain\r\nContent-Length: 1000';
    socket.write(
      `POST ${path()} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.token}\r\n${type}\r\n\r\na beginning`,
    );
    await waitFor(() => storedFiles(office).length > before.length, { description: 'the upload to begin' });
    socket.resetAndDestroy();
    await nothingLeft();
  });
});

describe('a process that is killed', () => {
  /** A sweep as of some minutes from now, on the office's own database and folder. */
  async function sweep(minutes: number) {
    const clock = new SetClock(new Date(Date.now() + minutes * 60_000));
    const [{ id }] = await office.sql<{ id: string }>('select id from platform.installation');
    const store = openStore(office.databaseUrl, definitions, clock);
    const storage = new FolderStorage(join(office.documents, id), clock);
    try {
      return await new DocumentSweep(storage, store.loader, clock, store.config).sweep();
    } finally {
      await store.close();
    }
  }

  it('leaves a file that the sweep finds, without touching other files', async () => {
    const kept = [await send([Buffer.from('kept')]), await send([Buffer.from('deleted')])];
    const [live, deleted] = kept.map(({ body }) => body.data.id);
    await api.delete(`documents/${deleted}`);
    const before = storedFiles(office);
    const appended = 'select count(*)::int as events from event_store.events';
    const events = await office.sql(appended);

    const blocker = new Client(office.databaseUrl);
    await blocker.connect();
    await blocker.query('begin; lock table event_store.events in exclusive mode');
    const whole = expect(send([Buffer.from('whole')])).rejects.toThrow();
    const asking = request(`${command.baseUrl}${path()}`, { method: 'POST', headers: headers() });
    const part = expect(once(asking, 'response')).rejects.toThrow();
    asking.write('a beginning');
    const lost = () => storedFiles(office).filter((name) => !before.includes(name));
    await waitFor(() => lost().length === 2 && lost().some((name) => !name.endsWith('.part')), {
      description: 'the bytes of one upload, and the beginning of another',
    });
    await waitFor(async () => (await office.sql(waiting)).length > 0, { description: 'the append to wait' });
    expect(await command.stop('SIGKILL')).toBeNull();
    await Promise.all([whole, part]);
    await office.sql(`select pg_terminate_backend(pid) from (${waiting}) w`);
    await waitFor(async () => (await office.sql(waiting)).length === 0, { description: 'the append to end' });
    await blocker.query('rollback');
    await blocker.end();
    expect(await office.sql(appended)).toEqual(events);

    expect(lost()).toHaveLength(2);
    expect(await sweep(59)).toEqual({ orphans: 0, unfinished: 0 });
    expect(await sweep(61)).toEqual({ orphans: 1, unfinished: 1 });
    expect(storedFiles(office)).toEqual(before);
    expect(await sweep(61)).toEqual({ orphans: 0, unfinished: 0 });
    expect((await api.get(`documents/${live}/download`)).body).toBe('kept');
  });

  const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
});
