import { createHash } from 'node:crypto';
import { isRecordId, RecordIds, recordId } from './record-id';

const TENANT = '0190a000-0000-7000-8000-000000000001';

/** RFC 9562, 5.5: version and variant over the first bytes of SHA-1. */
function uuid5(namespace: string, name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
    .subarray(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x50;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString('hex');
}

describe('the id of an imported record', () => {
  it('is the UUIDv5 of tenant, source system, table and key', () => {
    const expected = uuid5(TENANT, JSON.stringify(['Ledger', 'WorkItem', '東京\n1']));
    expect(recordId(TENANT, 'Ledger', 'WorkItem', '東京\n1')).toBe(`workitem_${expected}`);
  });

  it('differs where any of them differs', () => {
    const ids = [
      recordId(TENANT, 'Ledger', 'Client', '1'),
      recordId(TENANT, 'Ledger', 'Matter', '1'),
      recordId(TENANT, 'Ledger', 'Client', '2'),
      recordId(TENANT, 'Quill', 'Client', '1'),
      recordId('0190a000-0000-7000-8000-000000000002', 'Ledger', 'Client', '1'),
    ].map((id) => id.split('_')[1]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is that of a record of the tenant where a reference names one', () => {
    const ids = new RecordIds(TENANT, 'Ledger');
    const id = `client_${'a'.repeat(32)}`;
    expect(ids.to('Client', id)).toBe(id);
    expect(ids.to('Client', '7')).toBe(recordId(TENANT, 'Ledger', 'Client', '7'));
    expect(ids.to('Client', '7')).toBe(ids.to('Client', '7'));
    expect(ids.maybeTo('Client', null)).toBeNull();
  });

  it('is not confused with other texts that look like one', () => {
    expect(isRecordId(`matter_${'0'.repeat(32)}`)).toBe(true);
    for (const text of [
      'matter_1',
      `webhook_${'0'.repeat(32)}`,
      `Matter_${'0'.repeat(32)}`,
      `x ${'0'.repeat(32)}`,
    ])
      expect([text, isRecordId(text)]).toEqual([text, false]);
  });

  it('stays the same when more rows are referred to than are remembered', () => {
    const ids = new RecordIds(TENANT, 'Ledger');
    const first = ids.to('Matter', '0');
    for (let key = 1; key <= 50_001; key++) ids.to('Matter', String(key));
    expect(ids.to('Matter', '0')).toBe(first);
  });

  it('is refused for rows that become no records', () => {
    expect(() => recordId(TENANT, 'Ledger', 'Payment', '1')).toThrow('Payment');
  });
});
