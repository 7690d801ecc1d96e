import { toUuid } from '#kernel/ids';
import { SetClock } from '../../../test/support/set-clock';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { definitions } from '../areas';
import { CostRecovery } from '../cost-recoveries/cost-recovery';
import * as cost from '../cost-recoveries/cost-recovery.commands';
import { type BillingFirm, createBillingFirm } from '../testing/billing-firm';
import { WorkItem } from '../work-items/work-item';
import * as workItem from '../work-items/work-item.commands';
import type { AnyBillable } from './billable';
import * as billable from './billable.commands';

const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });

describe('the day of a write-off and of its reversal', () => {
  let store: TestStore;
  let firm: BillingFirm;
  const clock = new SetClock(new Date('2026-11-29T12:00:00Z'));

  beforeAll(async () => {
    store = await createTestStore(definitions, clock);
    firm = await createBillingFirm(store);
  });
  afterAll(() => store.close());

  const entry = (entryDate = '2026-11-20T12:00:00Z') => ({
    matterId: [...firm.matters.keys()][0],
    entryDate,
  });
  const recorded = {
    'work item': async (at?: string) =>
      (
        await firm.act(workItem.RecordWorkItem, workItem.RecordWorkItemHandler, {
          ...entry(at),
          employeeId: firm.employeeIds[0],
          itemType: 1,
          units: 10,
          rate: gbp(25),
        })
      ).record.id,
    'cost recovery': async (at?: string) => {
      const { disbursementCodeId } = firm;
      const fields = { disbursementCodeId, kind: 'CostRecovery' as const, quantity: 10, unitAmount: gbp(25) };
      const handler = cost.RecordCostRecoveryHandler;
      const { id } = (await firm.act(cost.RecordCostRecovery, handler, { ...entry(at), ...fields })).record;
      await firm.act(billable.FinaliseBillable, billable.FinaliseBillableHandler, CostRecovery, id);
      return id;
    },
  };
  const writeOff = (of: AnyBillable, id: string, writeOffDate?: string, amount?: number) =>
    firm.act(billable.WriteOffBillable, billable.WriteOffBillableHandler, of, id, {
      reason: 'Goodwill',
      writeOffDate,
      amount,
    });
  const reinstate = (of: AnyBillable, id: string) =>
    firm.act(billable.ReinstateBillable, billable.ReinstateBillableHandler, of, id);

  /** The day of the record's last event, which the event's movement has, too, if there is one. */
  async function lastDay(id: string): Promise<string> {
    const { rows } = await store.writes.pool.query(
      `select data ->> 'day' as day, coalesce(data -> 'movement' ->> 'day', data ->> 'day') as moved
       from event_store.events where tenant_id = $1 and stream_id = $2 order by version desc limit 1`,
      [firm.context.tenant.id, toUuid(id)],
    );
    expect(rows[0].moved).toBe(rows[0].day);
    return rows[0].day;
  }

  describe.each([WorkItem, CostRecovery] as AnyBillable[])('of a $noun', (of) => {
    const record = (at?: string) => recorded[of.noun as keyof typeof recorded](at);

    it('a reversal has the day of the latest write-off in force, if that is later than today', async () => {
      const id = await record();
      await writeOff(of, id, '2026-12-31', 100);
      await writeOff(of, id, '2026-12-01');
      await reinstate(of, id);
      expect(await lastDay(id)).toBe('2026-12-31');
      await writeOff(of, id, '2026-11-25');
      await reinstate(of, id);
      // What was reversed does not count any more.
      expect(await lastDay(id)).toBe('2026-11-29');
    });

    it('a write-off has no day before that of the record', async () => {
      const id = await record();
      const refusal = { fault: 'invalid', code: 'before_entry' };
      await expect(writeOff(of, id, '1926-11-29')).rejects.toMatchObject(refusal);
      await expect(writeOff(of, id, '2026-11-19')).rejects.toMatchObject(refusal);
      await writeOff(of, id, '2026-11-20');
      expect(await lastDay(id)).toBe('2026-11-20');
    });

    it('a write-off has the day of a record that is dated later than today, unless told otherwise', async () => {
      const id = await record('2026-12-05T12:00:00Z');
      await writeOff(of, id);
      expect(await lastDay(id)).toBe('2026-12-05');
    });
  });
});
