import { randomBytes, randomUUID } from 'node:crypto';
import { CloudEvent, Kafka, type KafkaMessage } from 'cloudevents';
import * as fc from 'fast-check';
import { Codec } from '#event-store/codec';
import { Definitions } from '#event-store/events';
import type { StoredEvent } from '#event-store/feed';
import { parsePosition, START } from '#event-store/position';
import { SubjectKeys } from '#event-store/subject-keys';
import { Person } from '#event-store/testing/streams';
import { Secrets } from '#platform/secrets';
import { fromNotice, noticeOf, toMessage } from './cloud-event';

const SUBJECT = 'ENTxyz';
const text = fc.string({ unit: 'grapheme' });
const base64 = fc.base64String({ minLength: 4 });
const position = fc
  .tuple(fc.nat(9), fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(1n, 2n ** 63n - 1n))
  .map((parts) => parts.join('.'));
const data = fc
  .record({ sealed: base64, nested: fc.jsonValue({ stringUnit: 'grapheme' }), text }, { requiredKeys: [] })
  .map((value) => JSON.parse(JSON.stringify(value)));
const metadata = fc.record(
  {
    actor: text,
    correlationId: fc.uuid(),
    source: fc.constantFrom('rest', 'cli', 'import', 'demo'),
    integrationId: fc.uuid(),
    traceparent: fc.constantFrom('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
  },
  { requiredKeys: ['actor', 'correlationId', 'source'] },
);
const stored = fc
  .record({
    tenant_id: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    stream_id: fc.uuid(),
    version: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    event_id: fc.uuid(),
    type: fc.stringMatching(/^[A-Z][A-Za-z]{1,40}$/),
    schema_version: fc.integer({ min: 1, max: 99 }),
    data,
    metadata,
    recorded_at: fc.date({
      min: new Date('2000-01-01T00:00:00Z'),
      max: new Date('2999-12-31T23:59:59Z'),
      noInvalidDate: true,
    }),
    partition: fc.nat(1023),
    at: position,
  })
  .map(
    (row): StoredEvent => ({
      tenantId: row.tenant_id,
      streamId: row.stream_id,
      version: row.version,
      partition: row.partition,
      at: parsePosition(row.at),
      row,
    }),
  );

/** An ordinary event. */
const plain = fc.sample(stored, { numRuns: 1, seed: 1 })[0];
const { partition, headers, value } = toMessage(plain, SUBJECT, START);
const document = JSON.parse(value);

describe('an event as a message', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(stored, position, (event, previous) => {
        const { partition, headers, value } = toMessage(event, SUBJECT, parsePosition(previous));
        // Kafka stores bytes.
        const notice = noticeOf({ headers, value: Buffer.from(value).toString() })!;
        expect(notice).toMatchObject({ at: event.at, previous: parsePosition(previous) });
        expect(fromNotice(partition, notice)).toEqual(event);
      }),
    );
  });

  it('is a valid CloudEvent for the official library, with everything else in attributes', () => {
    fc.assert(
      fc.property(stored, (event) => {
        const { key, headers, value } = toMessage(event, SUBJECT, START);
        const read = Kafka.toEvent<object>({
          key,
          headers,
          value,
          body: value,
        } as KafkaMessage) as CloudEvent<object>;
        const strict = new CloudEvent({ ...read }, true);
        const { row } = event;
        expect(strict).toMatchObject({
          specversion: '1.0',
          id: row.event_id,
          source: `/tenants/${row.tenant_id}`,
          type: row.type,
          subject: SUBJECT,
          time: row.recorded_at.toISOString(),
          datacontenttype: 'application/json',
          partitionkey: key,
          schemaversion: row.schema_version,
          streamversion: row.version,
          actor: row.metadata.actor,
          correlationid: row.metadata.correlationId,
          origin: row.metadata.source,
          data: row.data,
        });
        expect(strict.integrationid).toBe(row.metadata.integrationId);
        expect(strict.traceparent).toBe(row.metadata.traceparent);
        for (const name of Object.keys(JSON.parse(value))) expect(name).toMatch(/^[a-z0-9]{1,20}$/);
      }),
    );
  });

  it('says in its headers what it is, without its data', () => {
    fc.assert(
      fc.property(stored, position, (event, previous) => {
        const { key, headers, partition } = toMessage(event, SUBJECT, parsePosition(previous));
        const { row } = event;
        expect({ key, partition }).toEqual({ key: String(row.tenant_id), partition: row.partition });
        expect(headers).toEqual({
          'content-type': 'application/cloudevents+json; charset=UTF-8',
          type: row.type,
          tenant: String(row.tenant_id),
          stream: row.stream_id,
          version: String(row.version),
          at: row.at,
          prev: previous,
        });
      }),
    );
  });

  it('shows no personal data', () => {
    const keys = new SubjectKeys(new Secrets(randomBytes(32)));
    const codec = new Codec(new Definitions([Person]), keys);
    const name = fc.string({ unit: 'grapheme', minLength: 8 }).filter((one) => !value.includes(one));
    fc.assert(
      fc.property(name, (fullName) => {
        const streamId = randomUUID();
        const { key } = keys.create();
        const named = { type: 'PersonNamed', data: { fullName, title: 'Known to all' } } as const;
        const data = codec.encodeEvent(Person, streamId, key, named);
        const row = { ...plain.row, stream_id: streamId, type: named.type, data };
        const message = JSON.stringify(toMessage({ ...plain, streamId, row }, SUBJECT, START));
        expect(message).toContain('Known to all');
        for (const clear of ['fullName', fullName, JSON.stringify(fullName).slice(1, -1)])
          expect(message).not.toContain(clear);
        expect(message).not.toContain(Buffer.from(fullName).toString('base64').replace(/=*$/, ''));
      }),
    );
  });
});

describe('a message that is no event of the store', () => {
  it.each([
    ['type', 'a type'],
    ['tenant', 'acme'],
    ['tenant', '0'],
    ['stream', '1'],
    ['version', '0'],
    ['version', '1.5'],
    ['at', 'soon'],
    ['at', '1.2'],
    ['at', 'x.1.1'],
    ['at', '1.1.1\n'],
    ['prev', '1.2.x'],
    ['prev', '-1.2.3'],
    ['prev', `1.${'9'.repeat(30)}.1`],
  ])('is one that lacks the header %s, or has %j there', (name, other) => {
    for (const given of [undefined, '', other])
      expect(noticeOf({ headers: { ...headers, [name]: given }, value })).toBeUndefined();
  });

  const open = (other: string) => fromNotice(partition, noticeOf({ headers, value: other })!);

  it.each(['', 'hello', '{"specversion":"1.0"', 'null', '[]', '{}', '"text"', '7'])(
    'is one whose value is %j',
    (other) => {
      expect(() => open(other)).toThrow();
    },
  );

  it.each([
    ['specversion', '0.3'],
    ['type', 'AnotherType'],
    ['id', undefined],
    ['time', 'yesterday'],
    ['data', undefined],
    ['data', null],
    ['data', 'text'],
  ])('is one whose %s is %j', (name, other) => {
    expect(() => open(JSON.stringify({ ...document, [name]: other }))).toThrow(
      'not the event that the headers describe',
    );
  });
});
