import { at } from '#event-store/load';
import { newId, toId } from '#kernel/ids';
import { Division, updateDivision } from '#practice/divisions/division';
import { Matter, updateMatter } from '#practice/matters/matter';
import { Tenant, type TenantState } from '#practice/tenants/tenant';
import { allProjections } from '#practice/testing/projected-firms';
import { changedCopy } from '../../../test/support/firms/changed-copy';
import type { Figure, Firm } from '../../../test/support/firms/firm';
import { writeFirm } from '../../../test/support/firms/write-firm';
import { waitFor } from '../../../test/support/wait-for';
import { recordId } from '../records/record-id';
import { type Imports, openImports } from '../testing/import-parts';
import { promotionParts } from '../testing/promotion-parts';
import { type PromotionStep, promotionSteps } from './promotion-run';

const SOURCE = 'Ledger & Quill';

describe('a promotion', () => {
  let imports: Imports;
  let parts: ReturnType<typeof promotionParts>;
  let firm: Firm;

  beforeEach(async () => {
    imports = await openImports();
    parts = promotionParts(imports);
    firm = await writeFirm(imports.client, { items: 400 });
    imports.runner.start();
  });
  afterEach(() => imports.close());

  const idOf = (table: string, importId: string) =>
    recordId(imports.tenant.streamId, SOURCE, table, importId);

  /** The figures of the tenant's work that readers see, by a column of ids, or under '' for all. */
  async function shown(by: string | null, amount = 'total', where = 'true') {
    const key = by === null ? `''` : by;
    const rows = await imports.sql<{ key: string; count: number; amount: string }>(
      `select ${key}::text as key, count(*)::int as count, sum(${amount})::numeric(20, 2)::text as amount
       from read_model.work_items
       where tenant_id = $1 and generation = (select read_model.live_generation('work-items', $1))
         and not is_deleted and ${where} ${by === null ? '' : `and ${by} is not null`} group by 1`,
      [imports.tenant.id],
    );
    return Object.fromEntries(rows.map(({ key: name, ...figure }) => [name.replaceAll('-', ''), figure]));
  }

  const expected = (table: string, by: Readonly<Record<string, Figure>>) =>
    Object.fromEntries(
      Object.entries(by).map(([key, figure]) => [idOf(table, key).split('_')[1], { ...figure }]),
    );

  async function expectFirm({ work, unbilledWork }: Firm) {
    expect(await shown(null)).toEqual({ '': work.total });
    expect(await shown('matter_id')).toEqual(expected('Matter', work.byMatter));
    expect(await shown('employee_id')).toEqual(expected('Employee', work.byFeeEarner));
    const open = 'is_billable and matter_id is not null and item_state in (0, 1)';
    expect(await shown('matter_id', 'remaining', open)).toEqual(expected('Matter', unbilledWork.byMatter));
  }

  async function expectSound() {
    expect(await imports.verifier.verify('firm')).toMatchObject({ differences: 0, findings: [] });
    for (const { name } of allProjections) {
      const { differing } = await imports.audit.audit(name, { tenant: 'firm' });
      expect([name, differing]).toEqual([name, 0]);
    }
  }

  /** The number of the tenant's events by type, except those of the promotions themselves. */
  async function events(): Promise<Record<string, number>> {
    const rows = await imports.sql<{ type: string; count: number }>(
      `select type, count(*)::int as count from event_store.events
       where tenant_id = $1 and type <> 'ImportPromoted' group by 1`,
      [imports.tenant.id],
    );
    return Object.fromEntries(rows.map(({ type, count }) => [type, count]));
  }

  /**
   * The tenant's own records, except those that an import may change: the tenant itself, tax codes whose rates were
   * charged, and the empty default rate set that the tenant began with.
   */
  function ownRecords(ids?: string[]) {
    return imports.sql<{ stream_id: string }>(
      `select stream_id, version, state::text from event_store.streams
       where tenant_id = $1 and kind not in ('tenant', 'taxcode', 'rateset')
         and ($2::uuid[] is null or stream_id = any($2)) order by 1`,
      [imports.tenant.id, ids],
    );
  }

  const tenantState = async () => {
    const [found] = await imports.store.loader.load(imports.tenant.id, [
      at(Tenant, toId('tenant', imports.tenant.streamId)),
    ]);
    return (found as { data: TenantState }).data;
  };

  it('arrives whole in a tenant with its own data; repeated, it changes nothing, and a changed copy changes only what differs', async () => {
    const own = await ownRecords();
    const first = await parts.staged();
    const arrived = await parts.promotion.promote(first);
    await parts.over(first);
    expect(await parts.findings(first)).toEqual([]);
    expect(first.steps).toEqual(['Appending', 'Renewing', 'Announcing']);
    await expectFirm(firm);
    await expectSound();
    expect(await ownRecords(own.map(({ stream_id }) => stream_id))).toEqual(own);
    expect((await tenantState()).lastImport).toMatchObject({
      requestId: first.requestId,
      sourceSystem: SOURCE,
      ...arrived,
    });

    const before = await events();
    const again = await parts.staged();
    expect(await parts.promotion.promote(again)).toEqual({ created: 0, changed: 0 });
    await parts.over(again);
    expect(await events()).toEqual(before);

    const { changes, firm: changed } = await changedCopy(imports.client, { rows: 20 });
    const third = await parts.staged();
    const isNew = ({ columns }: (typeof changes)[number]) => columns.includes('ImportId');
    expect(await parts.promotion.promote(third)).toEqual({
      created: changes.filter(isNew).length,
      changed: changes.filter((one) => !isNew(one)).length,
    });
    expect(await parts.findings(third)).toEqual([]);
    await expectFirm(changed);
    await expectSound();
    const touched = await imports.sql<{ id: string }>(
      `select distinct e.stream_id as id from event_store.events e
       join event_store.streams s using (tenant_id, stream_id)
       where e.tenant_id = $1 and s.kind <> 'tenant'
         and e.position > (select max(position) from event_store.events where tenant_id = $1
           and metadata ->> 'source' = 'import' and type = 'ImportPromoted'
           and data ->> 'requestId' = $2)`,
      [imports.tenant.id, again.requestId],
    );
    expect(touched.map(({ id }) => id.replaceAll('-', '')).sort()).toEqual(
      changes.map(({ table, importId }) => idOf(table, importId).split('_')[1]).sort(),
    );
    // The tenant takes writes again.
    await imports.store.store.execute(imports.production, (work) =>
      Promise.resolve(
        work.create(Division, newId('division'), [
          {
            type: 'DivisionCreated',
            data: {
              code: null,
              name: 'New',
              isDefault: false,
              externalReference: null,
              referenceOwner: null,
            },
          },
        ]),
      ),
    );
  });

  it('changes nothing in a tenant where a record that it would change was edited since its import', async () => {
    const first = await parts.staged();
    await parts.promotion.promote(first);
    await parts.over(first);
    const { rows } = await imports.client.query<{ ImportId: string }>(
      `select "ImportId" from etl."Matter" where "State" = 'Open' order by 1 limit 2`,
    );
    const [edited, other] = rows.map(({ ImportId }) => ImportId);
    await imports.store.store.execute(imports.production, async (work) => {
      const { matter } = await work.load({ matter: at(Matter, idOf('Matter', edited)) });
      return work.change(Matter, matter!, updateMatter(matter!.data, { title: 'Edited here' }, 0));
    });
    const before = await events();
    await imports.client.query(
      `update etl."Matter" set "Title" = 'Edited there' where "ImportId" in ($1, $2)`,
      [edited, other],
    );
    // A record that was edited in production, but whose row is unchanged, does not prevent the promotion.
    await imports.store.store.execute(imports.production, async (work) => {
      const id = await firstDivision();
      const { division } = await work.load({ division: at(Division, id) });
      return work.change(Division, division!, updateDivision(division!.data, { name: 'Renamed here' }));
    });
    const second = await parts.staged();
    expect(await parts.promotion.promote(second)).toEqual({ errors: 1 });
    expect(await parts.findings(second)).toEqual([
      expect.objectContaining({ code: 'edited_since_import', table: 'Matter', importId: edited }),
    ]);
    expect(await events()).toEqual({ ...before, DivisionUpdated: (before.DivisionUpdated ?? 0) + 1 });
    expect(await parts.closed.isClosed(imports.tenant.id)).toBe(false);
    expect(await imports.sql('select from read_model.held')).toEqual([]);
  });

  async function firstDivision() {
    const { rows } = await imports.client.query<{ ImportId: string }>(
      'select "ImportId" from etl."Division" order by 1 limit 1',
    );
    return idOf('Division', rows[0].ImportId);
  }

  it('is finished by the next worker at whichever step one dies, and is never seen in part', async () => {
    const seen = new Set<number>();
    let isOver = false;
    const reader = waitFor(
      async () => {
        const isLast = isOver;
        const { '': all } = await shown(null);
        seen.add(all?.count ?? 0);
        return isLast;
      },
      { description: 'the end of the promotion', timeoutMs: 240_000 },
    );
    let turn = await parts.staged();
    for (const step of promotionSteps) {
      const dying = new AbortController();
      const dead = { ...turn, signal: dying.signal, step: turn.step };
      dead.advance = async (next: PromotionStep) => {
        // The step was carried out, but the worker dies before it stores that.
        dying.abort(new Error(`died at the end of ${step}`));
        dying.signal.throwIfAborted();
        return turn.advance(next);
      };
      if (step === 'Announcing') break;
      await expect(parts.promotion.promote(dead)).rejects.toThrow(`died at the end of ${step}`);
      expect(await parts.closed.isClosed(imports.tenant.id)).toBe(true);
      const { '': halfway } = await shown(null);
      if (step !== 'Renewing') expect(halfway).toBeUndefined();
      turn = parts.again(turn);
      const following = promotionSteps[promotionSteps.indexOf(step) + 1];
      await turn.advance(following);
      turn = parts.again(turn);
    }
    await parts.promotion.promote(turn);
    // Promoted once more, as by a worker that has not learned of the end.
    await parts.promotion.promote(parts.again(turn));
    isOver = true;
    await reader;
    await expectFirm(firm);
    await expectSound();
    expect([...seen].sort((a, b) => a - b)).toEqual([0, firm.work.total.count]);
    const announced = await imports.sql(
      `select from event_store.events where tenant_id = $1 and type = 'ImportPromoted'`,
      [imports.tenant.id],
    );
    expect(announced).toHaveLength(1);
  });
});
