import { createHash } from 'node:crypto';
import type { EventStore } from '#event-store/event-store';
import { at } from '#event-store/load';
import { derivedOf } from '#event-store/streams/testing/derived';
import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { type Id, newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, openStore, type TestStore } from '../../test/support/store';
import type { RecordState } from './records/record';
import { column, stateTable } from './records/state-table';
import { project } from './testing/firm';

const unreferenced = { isDeleted: false, externalReference: null, referenceOwner: null };

type OldState = RecordState & { label: string; head: string };

/** As it was: a label, and the name of its head, which is personal. */
const Old: StreamDefinition<OldState, DomainEvent<'TeamMade' | 'TeamMoved', Partial<OldState>>> = {
  kind: 'division',
  foldVersion: 1,
  events: { TeamMade: [], TeamMoved: [] },
  evolve: (state, { data }) => ({ ...unreferenced, ...(state as OldState), ...data }),
  isDeleted: () => false,
  links: () => [],
  keys: () => [],
  personal: { fields: ['head'], erased: () => ({ head: 'Erased' }) },
};

type State = RecordState & { name: string; code: string; first: string | null; last: string };

/** As it is two versions later: the label became name and code, the head's name two fields. */
const Now: StreamDefinition<State, DomainEvent<'TeamMade' | 'TeamMoved', Partial<State>>> = {
  ...Old,
  foldVersion: 2,
  events: {
    TeamMade: [
      ({ label, ...rest }) => ({ ...rest, name: label, code: label.slice(0, 3).toUpperCase() }),
      ({ head, ...rest }) => ({
        ...rest,
        first: head?.split(' ')[0] ?? null,
        last: head?.split(' ')[1] ?? null,
      }),
    ],
    TeamMoved: [],
  },
  evolve: (state, { data }) => ({ ...unreferenced, ...(state as State), ...data }),
  isDeleted: () => false,
  links: () => [],
  keys: ({ code }) => [{ kind: 'team', key: code }],
  personal: { fields: ['first', 'last'], erased: () => ({ first: null, last: 'Erased' }) },
};

const teams = stateTable(Now, {
  name: 'divisions',
  version: 2,
  columns: {
    code: column<State>('text', ({ code }) => code),
    name: column<State>('text', ({ name }) => name),
    division_state: column<State>('smallint', () => 1),
    is_default: column<State>('boolean', () => false),
  },
  words: ({ name }) => [name],
});

describe('events of an older schema version', () => {
  let old: TestStore;
  let now: TestStore;
  let context: RequestContext;
  let id: Id<'division'>;

  beforeAll(async () => {
    old = await createTestStore([Old]);
    context = await createContext(old);
    id = newId('division');
    await make(old.store);
    now = { ...old, ...openStore(old.url, [Now]) };
  });
  afterAll(async () => {
    await now.close();
    await old.close();
  });

  const keyed = () => ({
    ...context,
    idempotency: { key: 'once', hash: createHash('sha256').update('once').digest() },
  });
  const make = (store: EventStore) =>
    store.execute(keyed(), async (work) => {
      // The first load also asks whether the request was carried out before.
      await work.load({ team: at(Old, id) });
      const data = { label: 'Conveyancing', head: 'Ada Lovelace' };
      return work.create(Old, id, [{ type: 'TeamMade', data }]);
    });
  const state = { ...unreferenced, name: 'Conveyancing', code: 'CON', first: 'Ada', last: 'Lovelace' };

  it('stay stored as they were written', async () => {
    const { rows } = await now.writes.pool.query('select schema_version, data from event_store.events');
    expect(rows).toEqual([
      { schema_version: 1, data: { label: 'Conveyancing', sealed: expect.any(String) } },
    ]);
  });

  it('are loaded, folded and replayed in the current version', async () => {
    const [loaded] = await now.loader.load(context.tenant.id, [at(Now, id)]);
    expect(loaded).toMatchObject({ version: 1, data: state });
    expect(await now.loader.foldEvents(Now, context.tenant.id, toUuid(id))).toMatchObject({ data: state });
    expect(await make(now.store)).toMatchObject({ replayed: true, record: { id, version: 1, data: state } });
  });

  it('can be followed by events of the current version', async () => {
    await now.store.execute(context, async (work) => {
      const { team } = await work.load({ team: at(Now, id) });
      return work.change(Now, team!, [{ type: 'TeamMoved', data: { name: 'Property' } }]);
    });
    const moved = { ...state, name: 'Property' };
    expect(await now.loader.load(context.tenant.id, [at(Now, id)])).toMatchObject([
      { version: 2, data: moved },
    ]);
  });

  it('come out of the feed and make rows in the current version', async () => {
    await project(now, context, [teams]);
    const { rows } = await now.reads.pool.query(
      'select version, code, name, state from read_model.divisions where tenant_id = $1',
      [context.tenant.id],
    );
    const moved = { ...state, name: 'Property' };
    expect(rows).toEqual([{ version: 2, code: 'CON', name: 'Property', state: moved }]);
  });

  it('give the keys of the current version once derived data is rebuilt', async () => {
    const { verifier, rebuild } = derivedOf(now);
    expect((await verifier.verify()).findings.map(({ what }) => what)).toEqual(['its team is not reserved']);
    expect(await rebuild.rebuild()).toMatchObject({ written: 1, differences: 0 });
    expect(await verifier.verify()).toMatchObject({ streams: 1, outdated: 0, differences: 0 });
  });

  it('of an erased person show the erased values in the current fields', async () => {
    const erased = newId('division');
    await old.store.execute(context, async (work) =>
      work.create(Old, erased, [{ type: 'TeamMade', data: { label: 'Probate', head: 'Bob Fee' } }]),
    );
    await old.writes.pool.query('update event_store.subject_keys set wrapped = null where subject = $1', [
      toUuid(erased),
    ]);
    expect(await now.loader.foldEvents(Now, context.tenant.id, toUuid(erased))).toMatchObject({
      data: { name: 'Probate', code: 'PRO', first: null, last: 'Erased' },
    });
  });

  it('are named without their data when an upcaster fails on them', async () => {
    const broken = newId('division');
    await old.store.execute(context, async (work) =>
      work.create(Old, broken, [{ type: 'TeamMade', data: { head: 'Eve Secret' } }]),
    );
    const read = now.loader.foldEvents(Now, context.tenant.id, toUuid(broken));
    await expect(read).rejects.toThrow(
      new RegExp(
        `^Event 1 of stream ${toUuid(broken)} of tenant ${context.tenant.id}, a TeamMade of schema version 1 ` +
          `at position 1\\.\\d+\\.\\d+, cannot be read: its upcaster from schema version 1 failed$`,
      ),
    );
    await expect(now.loader.load(context.tenant.id, [at(Now, broken)])).rejects.toThrow(
      'a TeamMade of schema version 1',
    );
  });
});
