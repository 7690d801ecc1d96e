import { Erasures } from '#event-store/erasures';
import type { RecordedEvent } from '#event-store/events';
import { History, type HistoryRange } from '#event-store/history';
import type { Installation } from '#platform/auth/installation';
import { Tenants } from '#platform/auth/tenants';
import type { RequestContext } from '#platform/request-context';
import { createFirm } from '#practice/testing/firm';
import { allProjections, type Firms, openFirms } from '#practice/testing/projected-firms';
import { waitFor } from '../../../test/support/wait-for';
import type { Projection } from '../projection';
import { Projections } from '../projections';
import { checked } from '../testing/checked';
import { ProjectionAudit } from './projection-audit';
import { Scratch } from './scratch';

const POISON = 'Poison';

function refusePoison(events: readonly RecordedEvent[]): void {
  if (events.some(({ event }) => (event.data as { name?: string }).name === POISON))
    throw new Error('Poison');
}

/** A projection of divisions that refuses the name Poison, in the runner and in an audit. */
const projections = allProjections.map(
  (projection): Projection =>
    projection.name !== 'divisions'
      ? projection
      : {
          ...projection,
          async apply(client, generation, events) {
            refusePoison(events);
            await projection.apply(client, generation, events);
          },
          ofStream: checked(projection, (recorded) => refusePoison([recorded])),
        },
);

/** A history that stops after its first batch until the test lets it continue. */
class HeldHistory extends History {
  reached!: () => void;
  go!: () => void;
  private readonly leave = new Promise<void>((resolve) => (this.go = resolve));
  readonly underWay = new Promise<void>((resolve) => (this.reached = resolve));

  override async *streams(...args: [Parameters<History['streams']>[0], HistoryRange]) {
    for await (const streams of super.streams(...args)) {
      this.reached();
      await this.leave;
      yield streams;
    }
  }
}

describe('an audit while things change', () => {
  let firms: Firms;
  let one: RequestContext;
  let two: RequestContext;
  let three: RequestContext;

  beforeAll(async () => {
    firms = await openFirms(3, projections);
    [one, two, three] = firms.contexts;
  });
  afterAll(() => firms.close());

  const clean = async (options: { tenant?: string } = {}) => {
    const audited = await firms.parts.audit.audit('divisions', options);
    expect(audited).toMatchObject({ differing: 0, differences: [] });
    return audited;
  };
  const tenants = () => new Tenants(firms.store.writes, { region: 'uk', partitions: 12 } as Installation);
  const auditWith = (history: History, registry = tenants()) => {
    const { writes, reads, codec } = firms.store;
    return new ProjectionAudit(
      new Projections(projections),
      new Scratch(history, writes),
      registry,
      new Erasures(writes, codec),
      writes,
      reads,
    );
  };
  const liveGeneration = async () => {
    const [{ generation }] = await firms.sql<{ generation: number }>(
      `select generation from read_model.live where projection = 'divisions' and tenant_id = 0`,
    );
    return generation;
  };

  it('does not hold the feed back', async () => {
    const history = new HeldHistory(firms.store.codec);
    const auditing = auditWith(history).audit('divisions');
    await history.underWay;
    const sessions = await firms.sql<{ writing: boolean }>(
      `select backend_xid is not null as writing from pg_stat_activity
       where datname = current_database() and application_name like '%-session'`,
    );
    expect(sessions).toEqual([{ writing: false }, { writing: false }, { writing: false }]);
    await firms.createDivision(one, 'Meanwhile');
    await firms.settled();
    history.go();
    expect(await auditing).toMatchObject({ differing: 0 });
  });

  it('goes on with the generation that it audits when a rebuild replaces that', async () => {
    const history = new HeldHistory(firms.store.codec);
    const before = await liveGeneration();
    const auditing = auditWith(history).audit('divisions');
    await history.underWay;
    const rebuilding = firms.parts.rebuild.rebuild('divisions');
    await waitFor(async () => (await liveGeneration()) > before, {
      description: 'the new generation to go live',
    });
    await firms.createDivision(two, 'After the flip');
    await firms.settled();
    history.go();
    expect(await auditing).toMatchObject({ generation: before, differing: 0 });
    await rebuilding;
    expect(await clean()).toMatchObject({ generation: before + 1 });
  });

  it('does not report a tenant as unknown that was made while it began', async () => {
    class SlowTenants extends Tenants {
      override async list() {
        const known = await super.list();
        await createFirm(firms.store);
        await firms.settled();
        return known;
      }
    }
    const registry = new SlowTenants(firms.store.writes, { region: 'uk', partitions: 12 } as Installation);
    const audited = await auditWith(new History(firms.store.codec), registry).audit('tenants');
    expect(audited).toMatchObject({ differing: 0 });
  });

  it('compares a parked tenant where it stopped, and one that was rebuilt alone in its own generation', async () => {
    await firms.createDivision(one, POISON);
    for (const context of [one, two, three]) await firms.createDivision(context, 'Behind it');
    await firms.settled();
    const [{ parked }] = (await firms.parts.status.list()).filter(({ name }) => name === 'divisions');
    expect(parked).toEqual([one.tenant.alias]);
    await clean();

    const main = await liveGeneration();
    const { generation } = await firms.parts.rebuild.rebuild('divisions', { tenant: two.tenant.alias });
    expect(generation).toBeGreaterThan(main);
    for (const context of [one, two, three]) await firms.createDivision(context, 'Later still');
    await firms.settled();
    await clean();
    for (const { tenant } of [one, two, three]) await clean({ tenant: tenant.alias });

    const change = `update read_model.divisions set name = 'Changed' where tenant_id = any($1) and name = 'General'`;
    const both = [[one.tenant.id, two.tenant.id]];
    const { differences } = await firms.tampered('divisions', change, both, () =>
      firms.parts.audit.audit('divisions'),
    );
    expect(differences.map(({ tenant, columns }) => ({ tenant, columns }))).toEqual(
      expect.arrayContaining(
        [one, two].map(({ tenant: { alias } }) => ({ tenant: alias, columns: ['name'] })),
      ),
    );
    expect(differences).toHaveLength(2);
  });

  it('as of an instant leaves out what changed since, and finds other differences', async () => {
    const { audit } = firms.parts;
    const changedId = await firms.createDivision(three, 'Changes later');
    const staysId = await firms.createDivision(three, 'Stays');
    await firms.settled();
    const [{ at }] = await firms.sql<{ at: Date }>('select max(recorded_at) as at from event_store.events');
    await waitFor(() => Date.now() > at.getTime(), { description: 'the next millisecond' });
    const options = { asOf: at, tenant: three.tenant.alias };
    expect(await audit.audit('divisions', options)).toMatchObject({ differing: 0, changedSince: 0 });

    await firms.rename(three, changedId, 'Changed');
    const bornId = await firms.createDivision(three, 'Born later');
    await firms.settled();
    expect(await audit.audit('divisions', options)).toMatchObject({ differing: 0, changedSince: 2 });

    const uuids = [changedId, staysId, bornId].map((id) => id.slice('division_'.length));
    const change = 'update read_model.divisions set is_default = not is_default where id = any($1)';
    const found = await firms.tampered('divisions', change, [uuids], () => audit.audit('divisions', options));
    expect(found.differences.map(({ key, columns }) => [key.replaceAll('-', ''), columns])).toEqual([
      [uuids[1], ['is_default']],
    ]);
    for (const asOf of [new Date(0), new Date('2199-01-01T00:00:00Z')]) {
      for (const name of audit.names)
        expect(await audit.audit(name, { asOf })).toMatchObject({ name, differing: 0 });
    }
  });
});
