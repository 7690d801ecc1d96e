import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { generateSecret, keyOf, parseSecret, type Secret } from './secret';
import { signedHeaders } from './signature';

const message = {
  id: 'evt_0193a5f0c1de7c0fa1b2c3d4e5f60718',
  requestId: '2f1c9d3e-8b7a-4c6d-9e5f-0a1b2c3d4e5f',
  tenantAlias: 'harbour',
  at: new Date(),
  body: '{"type":"matter.created","data":{"title":"Société – 東京"}}',
};
const guid = parseSecret('12345678-0000-0000-0000-123456789012');
const standard = parseSecret(generateSecret());

/** The secret as the owner of a GUID passes it to a library of Standard Webhooks. */
const standardForm = (secret: Secret) =>
  secret.kind === 'guid' ? `whsec_${keyOf(secret).toString('base64')}` : secret.text;
const verify = (secret: Secret, headers: Record<string, string>, body: string | Buffer = message.body) =>
  new Webhook(standardForm(secret)).verify(body, headers);

it('the X-PE2 signature is the one that existing clients compute', () => {
  const at = new Date('2026-11-22T10:11:12.345Z');
  // Computed with openssl: printf '%s|%s' … | openssl dgst -sha256 -mac HMAC -macopt hexkey:78563412000000000000123456789012
  expect(signedHeaders({ ...message, at }, [guid])).toMatchObject({
    'X-PE2-REQUEST-ID': '2f1c9d3e-8b7a-4c6d-9e5f-0a1b2c3d4e5f',
    'X-PE2-TIMESTAMP': '2026-11-22T10:11:12.3450000Z',
    'X-PE2-TENANT-ALIAS': 'harbour',
    'X-PE2-WEBHOOK-SIGNATURE': 'HMACSHA256:QBQY9EZ4EWopjH5L0YgYWOTO+loGvwGOgkU2ennMnQc=',
    'webhook-timestamp': String(at.getTime() / 1000 - 0.345),
  });
});

it.each([
  ['a standard secret', standard],
  ['a GUID', guid],
])('the library of Standard Webhooks verifies what %s signed', (_, secret) => {
  const headers = signedHeaders(message, [secret]);
  expect(verify(secret, headers)).toEqual(JSON.parse(message.body));
  expect(signedHeaders({ ...message, body: Buffer.from(message.body) }, [secret])).toEqual(headers);
  expect(() => verify(secret, headers, message.body.replace('matter', 'client'))).toThrow('No matching');
  expect(() => verify(secret, { ...headers, 'webhook-id': 'evt_other' })).toThrow('No matching');
  expect(() => verify(parseSecret(generateSecret()), headers)).toThrow('No matching');
});

it('the X-PE2 signature is sent for a GUID only', () => {
  expect(signedHeaders(message, [standard])).not.toHaveProperty('X-PE2-WEBHOOK-SIGNATURE');
  expect(signedHeaders(message, [standard])).toHaveProperty('X-PE2-REQUEST-ID', message.requestId);
});

describe('while a secret is rotated', () => {
  const older = parseSecret('aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee');

  it('the signatures of both are sent, and that of the newest first', () => {
    const headers = signedHeaders(message, [standard, guid]);
    for (const secret of [standard, guid]) expect(verify(secret, headers)).toBeTruthy();
    const [first, second] = headers['webhook-signature'].split(' ');
    expect(first).toBe(signedHeaders(message, [standard])['webhook-signature']);
    expect(second).toBe(signedHeaders(message, [guid])['webhook-signature']);
  });

  it('the X-PE2 signature is that of the newest GUID', () => {
    const pe2 = (...secrets: Secret[]) => signedHeaders(message, secrets)['X-PE2-WEBHOOK-SIGNATURE'];
    expect(pe2(guid, older)).toBe(pe2(guid));
    expect(pe2(guid, older)).not.toBe(pe2(older));
    expect(pe2(standard, older)).toBe(pe2(older));
  });
});

it('the library verifies any body with any secret', () => {
  const secrets = fc.oneof(
    fc
      .uint8Array({ minLength: 24, maxLength: 64 })
      .map((key) => `whsec_${Buffer.from(key).toString('base64')}`),
    fc.uuid(),
  );
  fc.assert(
    fc.property(
      fc.array(secrets, { minLength: 1, maxLength: 3 }),
      fc.json(),
      fc.uuid(),
      (texts, body, id) => {
        const given = texts.map(parseSecret);
        const headers = signedHeaders({ ...message, id, body }, given);
        for (const secret of given) expect(verify(secret, headers, body)).toEqual(JSON.parse(body));
      },
    ),
  );
});

it('nothing is sent unsigned', () => {
  expect(() => signedHeaders(message, [])).toThrow('no secret');
});
