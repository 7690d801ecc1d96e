import { v7 } from 'uuid';
import { tenantLock } from '../locks';
import { type AppendJob, locksOf } from './append-job';
import { appendStatement } from './append-parameters';

const job = (tenantId: number, sections: AppendJob['sections'] = {}): AppendJob => ({
  tenantId,
  partition: 0,
  at: new Date(0),
  metadata: '{}',
  streams: [],
  events: [],
  guards: [{ stream: v7(), version: 1 }],
  sections,
});
const locks = (text: unknown) => (text as string).slice(1, -1).split(',').filter(Boolean).map(BigInt);

describe('the statement of a batch', () => {
  const jobs = [job(1), job(1), job(2)];
  const own = jobs.flatMap((each) => locksOf(each).shared).sort((a, b) => (a < b ? -1 : 1));

  it('names the lock of the tenant of each command apart when it is not waited for', () => {
    const { values } = appendStatement(jobs, jobs.map(locksOf), 'left out');
    expect(locks(values[0])).toEqual(own);
    expect(locks(values.at(-1))).toEqual([tenantLock(1), tenantLock(1), tenantLock(2)]);
  });

  it('waits for the tenant before all else, so that nobody who holds a stream waits for a tenant', () => {
    const [first, second] = jobs;
    const { values } = appendStatement([first, second], [first, second].map(locksOf), 'awaited');
    const [tenant, ...rest] = locks(values[0]);
    expect(tenant).toBe(tenantLock(1));
    expect(rest).toEqual(own.filter((lock) => rest.includes(lock)));
    expect(rest).toHaveLength(2);
    expect(values[1]).toBe('{false,false,false}');
    expect(locks(values.at(-1))).toEqual([]);
  });

  it('names the locks of tenants after the erasures', () => {
    const erasing = [job(1, { erasures: [{ subject: 'somebody' }] })];
    const { name, values } = appendStatement(erasing, erasing.map(locksOf), 'left out');
    expect(name).toBe('event_store.append_and_erase');
    expect(values.at(-2)).toBe('[{"c":1,"subject":"somebody"}]');
    expect(locks(values.at(-1))).toEqual([tenantLock(1)]);
  });
});
