import * as fc from 'fast-check';
import { at } from '#event-store/load';
import { DomainError } from '#kernel/errors';
import { toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { definitions } from '../areas';
import {
  FinaliseBillable,
  FinaliseBillableHandler,
  ReinstateBillable,
  ReinstateBillableHandler,
  UnfinaliseBillable,
  UnfinaliseBillableHandler,
  WriteOffBillable,
  WriteOffBillableHandler,
} from '../billable/billable.commands';
import { FinaliseBillables, FinaliseBillablesHandler } from '../billable/billable.finalise-many';
import {
  ActivateClient,
  ActivateClientHandler,
  CreateClient,
  CreateClientHandler,
} from '../clients/client.commands';
import { CreateDivision, CreateDivisionHandler } from '../divisions/division.commands';
import { employeeWriting } from '../employees/employee.commands';
import { CreateEntity, CreateEntityHandler } from '../entities/entity.commands';
import { Matter } from '../matters/matter';
import { CloseMatter, CloseMatterHandler, OpenMatter, OpenMatterHandler } from '../matters/matter.commands';
import { CreateRecord, CreateRecordHandler } from '../records/records.commands';
import { Tenant } from '../tenants/tenant';
import { createFirm, project } from '../testing/firm';
import { feeAnalysisProjection } from './fee-analysis.projection';
import { WorkItem, type WorkItemState } from './work-item';
import {
  RecordWorkItem,
  RecordWorkItemHandler,
  UpdateWorkItem,
  UpdateWorkItemHandler,
} from './work-item.commands';
import { workItemsProjection } from './work-item.projection';

describe('work items on a real store', () => {
  let store: TestStore;
  let context: RequestContext;
  let matterId: string;
  let employeeId: string;

  beforeAll(async () => {
    store = await createTestStore(definitions);
    context = await createFirm(store);
    const person = { entityType: 'Individual' as const, firstName: 'Ada', lastName: 'Lovelace' };
    const entity = await new CreateEntityHandler(store.store).execute(new CreateEntity(context, person));
    const client = await new CreateClientHandler(store.store).execute(
      new CreateClient(context, { entityId: entity.record.id }),
    );
    await new ActivateClientHandler(store.store).execute(new ActivateClient(context, client.record.id));
    const division = await new CreateDivisionHandler(store.store).execute(
      new CreateDivision(context, { name: 'D' }),
    );
    const employee = await new CreateRecordHandler(store.store).execute(
      new CreateRecord(context, employeeWriting, {
        entityId: entity.record.id,
        defaultRate: { Amount: 120, Currency: 'GBP' },
      }),
    );
    const matter = await new OpenMatterHandler(store.store).execute(
      new OpenMatter(context, { clientId: client.record.id, divisionId: division.record.id, title: 'M' }),
    );
    [employeeId, matterId] = [employee.record.id, matter.record.id];
  });
  afterAll(() => store.close());

  const record = (more: object = {}) =>
    new RecordWorkItemHandler(store.store).execute(
      new RecordWorkItem(context, {
        matterId,
        employeeId,
        itemType: 0,
        entryDate: '2025-06-30T23:30:00.000Z',
        durationTicks: 36_000_000_000,
        ...more,
      }),
    );

  const actions = {
    finalise: (id: string) =>
      new FinaliseBillableHandler(store.store).execute(new FinaliseBillable(context, WorkItem, id)),
    unfinalise: (id: string) =>
      new UnfinaliseBillableHandler(store.store).execute(new UnfinaliseBillable(context, WorkItem, id)),
    reinstate: (id: string) =>
      new ReinstateBillableHandler(store.store).execute(new ReinstateBillable(context, WorkItem, id)),
    writeOffAll: (id: string) => writeOff(id, {}),
    writeOffUnits: (id: string) => writeOff(id, { units: 1.5 }),
    writeOffAmount: (id: string) => writeOff(id, { amount: 7.77 }),
  };
  const writeOff = (id: string, part: object) =>
    new WriteOffBillableHandler(store.store).execute(
      new WriteOffBillable(context, WorkItem, id, { reason: 'test', ...part }),
    );

  it("take their day from the tenant's zone and their rate from the employee", async () => {
    const { record: item } = await record();
    expect(item.data).toMatchObject({
      entryDay: '2025-07-01',
      total: '120',
      rateSource: 'EmployeeDefault',
      state: 1,
    });
  });

  it('load all that they need in one query, and rates only when the request gives none', async () => {
    const query = jest.spyOn(store.writes.pool, 'query');
    const asked = async (more: object) => {
      query.mockClear();
      await record(more);
      const names = query.mock.calls.map(([first]) => (first as { name?: string }).name ?? '');
      return names.filter((name) => name.startsWith('event_store.load'));
    };
    expect(await asked({ rate: { Amount: 100, Currency: 'GBP' } })).toEqual(['event_store.load']);
    expect(await asked({})).toEqual(['event_store.load_related']);
    query.mockRestore();
  });

  describe('when the rounding of units has changed since', () => {
    const minute = 600_000_000;
    const change = async (id: string, body: object) => {
      const { record: after } = await new UpdateWorkItemHandler(store.store).execute(
        new UpdateWorkItem(context, id, body),
      );
      return after.data;
    };
    const count = (unitRounding: 'Up' | 'Down') =>
      store.store.execute(context, async (work) => {
        const id = toId('tenant', context.tenant.streamId);
        const { tenant } = await work.load({ tenant: at(Tenant, id) });
        return work.change(Tenant, tenant!, [{ type: 'TenantSettingsChanged', data: { unitRounding } }]);
      });

    let id: string;
    beforeEach(async () => {
      await count('Up');
      id = (await record({ durationTicks: 7 * minute })).record.id;
      await actions.unfinalise(id);
      await count('Down');
    });
    afterAll(() => count('Up'));

    it.each<[object]>([
      [{ isBillable: false }],
      [{ title: 'Reading', isBillable: false }],
      [{ entryDate: '2025-06-12T10:00:00.000Z' }],
      [{ rate: { Amount: 100, Currency: 'GBP' } }],
    ])('keep their units when a request sets %j', async (body) => {
      expect(await change(id, body)).toMatchObject({ units: '2', unitsOverridden: false });
    });

    it('keep units that a request gave', async () => {
      await change(id, { units: 1.5 });
      expect(await change(id, { isBillable: false })).toMatchObject({ units: '1.5', unitsOverridden: true });
    });

    it.each<[string, () => object]>([
      ['their duration changes', () => ({ durationTicks: 8 * minute })],
      ['their type changes', () => ({ itemType: 1, rate: { Amount: 100, Currency: 'GBP' } })],
      ['their matter changes', () => ({ matterId: null })],
      ['a request sets their units to null', () => ({ units: null })],
    ])('have their units counted again when %s', async (_, body) => {
      expect(await change(id, body())).toMatchObject({ units: '1', unitsOverridden: false });
    });
  });

  it('are finalised many at once, each successfully or not on its own', async () => {
    const done = await record();
    await actions.unfinalise(done.record.id);
    const { outcome } = await new FinaliseBillablesHandler(store.store).execute(
      new FinaliseBillables(context, WorkItem, [done.record.id, 'workitem_00000000000000000000000000000000']),
    );
    expect(outcome).toEqual([
      { id: done.record.id, success: true, code: null, reason: null },
      expect.objectContaining({ success: false, code: 'not_found' }),
    ]);
  });

  it('satisfy Finalised + WrittenUp − Billed − WrittenOff = unbilled value after any history', async () => {
    const step = fc.constantFrom(...(Object.keys(actions) as (keyof typeof actions)[]));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const { record: item } = await record({ units: 3.25, rate: { Amount: 99.99, Currency: 'GBP' } });
        for (const name of steps) {
          await actions[name](item.id).catch((error) => {
            if (!(error instanceof DomainError)) throw error;
          });
        }
      }),
      { numRuns: 30 },
    );
    await project(store, context, [workItemsProjection, feeAnalysisProjection]);
    const { rows } = await store.reads.pool.query(
      `select w.state, coalesce(f.amount, 0) as amount, coalesce(f.units, 0) as units
       from read_model.work_items w left join lateral (
         select sum(finalised + written_up - billed - written_off) as amount,
           sum(finalised_units + written_up_units - billed_units - written_off_units) as units
         from read_model.fee_analysis a where a.tenant_id = w.tenant_id and a.work_item_id = w.id) f on true
       where w.tenant_id = $1`,
      [context.tenant.id],
    );
    expect(rows.length).toBeGreaterThan(30);
    for (const { state, amount, units } of rows as {
      state: WorkItemState;
      amount: string;
      units: string;
    }[]) {
      // A pending item is work too, but fee analysis counts it only once it is finalised.
      const expected = state.state === 0 ? ['0', '0'] : [state.remaining, state.remainingUnits];
      expect([amount, units].map(Number)).toEqual(expected.map(Number));
    }
  });

  it('are recorded on a matter or the matter is closed, never both, when both are requested at once', async () => {
    for (let round = 0; round < 10; round++) {
      const { data } = (await store.loader.foldEvents(Matter, context.tenant.id, matterId.slice(7)))!;
      const { clientId, divisionId } = data as { clientId: string; divisionId: string };
      const matter = await new OpenMatterHandler(store.store).execute(
        new OpenMatter(context, { clientId, divisionId, title: `Round ${round}` }),
      );
      const outcomes = await Promise.allSettled([
        record({ matterId: matter.record.id }),
        new CloseMatterHandler(store.store).execute(new CloseMatter(context, matter.record.id)),
      ]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });
});
