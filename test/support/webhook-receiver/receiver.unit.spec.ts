import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { generateSecret, parseSecret, type Secret } from '#webhooks/protocol/secret';
import { Sender } from '#webhooks/protocol/sender';
import { signedHeaders } from '#webhooks/protocol/signature';
import { waitFor } from '../wait-for';
import { type Behaviour, WebhookReceiver } from './receiver';

const standard = parseSecret(generateSecret());
const guid = parseSecret(randomUUID());
const sender = new Sender({ allowInsecure: true, allowed: [], development: true });
let receiver: WebhookReceiver | undefined;
let shown = '';

afterEach(async () => {
  await receiver?.stop();
  receiver = undefined;
  shown = '';
});
afterAll(() => sender.close());

async function start(behaviour: Partial<Behaviour>): Promise<string> {
  const whole = { port: 0, secrets: [], status: 204, delayMs: 0, ...behaviour };
  receiver = await WebhookReceiver.start(whole, (text) => (shown += `${text}\n`));
  return receiver.url;
}

function deliver(url: string, secrets: Secret[], { requestId = randomUUID() as string, changes = {} } = {}) {
  const body = JSON.stringify({ type: 'matter.created', requestId, data: { title: 'Société' } });
  const message = { id: 'evt_1', requestId, tenantAlias: 'harbour', at: new Date(), body };
  return sender.send(url, { ...signedHeaders(message, secrets), ...changes }, body);
}

it('shows what arrives and that its signatures are right', async () => {
  const url = await start({ secrets: [guid] });
  expect(await deliver(url, [guid])).toMatchObject({ status: 204 });
  expect(shown).toContain('POST /  matter.created');
  expect(shown).toContain('standard signature: verified\n  X-PE2 signature: verified\n  answered 204');
  expect(shown).toContain('"title": "Société"');
  expect(shown).toContain('attempt 1 of this id');
  await deliver(url, [guid]);
  expect(shown).toContain('attempt 2 of this id');
  expect(shown).not.toContain(guid.text);
});

it('accepts a delivery when either secret of a rotation matches, on either side', async () => {
  const url = await start({ secrets: [guid, standard] });
  expect(await deliver(url, [standard])).toMatchObject({ status: 204 });
  expect(await deliver(url, [standard, guid])).toMatchObject({ status: 204 });
  expect(await deliver(url, [parseSecret(generateSecret()), standard])).toMatchObject({ status: 204 });
});

it.each<[string, () => Parameters<typeof deliver>[1], object, string]>([
  [
    'of another secret',
    () => [parseSecret(randomUUID())],
    {},
    'standard signature: No matching signature found',
  ],
  [
    'of a wrong X-PE2 signature',
    () => [guid],
    { 'X-PE2-WEBHOOK-SIGNATURE': 'HMACSHA256:AAAA' },
    'X-PE2 signature: No',
  ],
  ['of another request', () => [guid], { 'X-PE2-REQUEST-ID': 'other' }, 'X-PE2 signature: Not of this body'],
  [
    'of long ago',
    () => [guid],
    { 'X-PE2-TIMESTAMP': '2020-01-01T00:00:00.0000000Z' },
    'X-PE2 signature: Not of the last',
  ],
  ['of no time', () => [guid], { 'webhook-timestamp': '1' }, 'standard signature: Message timestamp too old'],
  [
    'of a signature beyond ASCII',
    () => [guid],
    { 'X-PE2-WEBHOOK-SIGNATURE': `HMACSHA256:${'é'.repeat(44)}` },
    'X-PE2 signature: No',
  ],
  [
    'without a signature',
    () => [guid],
    { 'webhook-signature': 'v2,AAAA' },
    'standard signature: No matching',
  ],
])('answers 401 to one %s', async (_, secrets, changes, verdict) => {
  const url = await start({ secrets: [guid] });
  expect(await deliver(url, secrets(), { changes })).toMatchObject({ status: 401 });
  expect(shown).toContain(verdict);
});

it('answers as configured, and verifies nothing without a secret', async () => {
  const url = await start({ status: 429, retryAfter: '30', delayMs: 50 });
  const outcome = await deliver(url, [standard]);
  expect(outcome).toMatchObject({ status: 429, retryAfter: '30' });
  expect(outcome.milliseconds).toBeGreaterThanOrEqual(49);
  expect(shown).toContain('standard signature: not verified, no secret given');
});

it('shows a body that is not JSON as it came', async () => {
  const url = await start({});
  expect(await sender.send(url, {}, 'a=b')).toMatchObject({ status: 204 });
  expect(shown).toContain('(no type)');
  expect(shown).toContain('\n  a=b\n');
});

describe('npm run webhook-receiver', () => {
  let started: ChildProcess | undefined;
  afterEach(() => void started?.kill('SIGKILL'));

  const run = (args: string[], env: Record<string, string> = {}) => {
    const program = ['--conditions', 'source', '--require', require.resolve('../register-typescript.cjs')];
    const child = spawn(process.execPath, [...program, require.resolve('./run.ts'), ...args], {
      env: { PATH: process.env.PATH, ...env },
    });
    started = child;
    const output = { text: '' };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output.text += chunk));
    return { child, output, ended: once(child, 'close') };
  };

  it('takes its secret from the environment and runs until SIGTERM', async () => {
    const { child, output, ended } = run(['--port', '0'], { WEBHOOK_SECRET: standard.text });
    const url = (await waitFor(() => /http:\S+/.exec(output.text)?.[0], { description: 'it to listen' }))!;
    expect(await deliver(url, [standard])).toMatchObject({ status: 204 });
    expect(await deliver(url, [guid])).toMatchObject({ status: 401 });
    expect(output.text).toContain('standard signature: verified');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('ends although an answer is still to come', async () => {
    const { child, output, ended } = run(['--port', '0', '--delay', '600000']);
    const url = (await waitFor(() => /http:\S+/.exec(output.text)?.[0], { description: 'it to listen' }))!;
    const answer = deliver(url, [standard]);
    await waitFor(() => output.text.includes('answered 204 after'), { description: 'the delivery' });
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await answer).toMatchObject({ error: 'reset' });
  });

  it.each([
    [['--secret', 'swordfish'], 'or a GUID'],
    [['--status', '99'], 'a number from 200 to 599'],
  ])('%j is refused', async (args, message) => {
    const { output, ended } = run(args);
    expect((await ended)[0]).not.toBe(0);
    expect(output.text).toContain(message);
  });
});
