import { partitionOf } from '#platform/auth/tenants';
import { type Walked, walk } from '../e2e/specification-walk';
import type { ApiClient } from '../support/client';
import { Caller } from './caller';
import { Clerk, openFirm } from './clerk';
import { Fight } from './fight';
import { expectIntact } from './intact';
import { Ledger } from './ledger';
import { Onlookers, type Sight, sightOf } from './onlookers';
import { Outages } from './outages';
import { Pace } from './pace';
import { Petitioner } from './petitioner';
import { pointsOf } from './promotion-points';
import { expectFigures, expectTold, expectUndisturbed, importedEvents, statesOf } from './promotion-proofs';
import { PromotionStage } from './promotion-stage';
import { PromotionStrikes } from './promotion-strikes';
import { Random } from './random';
import { Reader } from './reader';
import { expectReads } from './reads';
import { pennies } from './source-firm';
import { expectStored } from './stored';

/**
 * A firm is promoted to a tenant that has records of its own. In every step of the promotion, the worker in charge, the
 * database and a projector die, while a neighbour of the tenant writes and clients keep reading.
 */
const ITEMS = 3_000;
const PARTITIONS = 12;
const TENANT = 'leeds';
/** A tenant in the same partition of the feed. */
const NEIGHBOUR = Array.from({ length: 200 }, (_, index) => `york-${index}`).find(
  (alias) => partitionOf(alias, PARTITIONS) === partitionOf(TENANT, PARTITIONS),
)!;
/** For all of the neighbour's clerks together. */
const DUTIES_PER_SECOND = 10;
const PETITIONS_PER_SECOND = 5;
const ONLOOKERS = 3;
/** For all onlookers together. */
const LOOKS_PER_SECOND = 100;
/** For the neighbour's reader. A look is eight requests. */
const READS_PER_SECOND = 4;

const ledger = new Ledger();
const outages = new Outages();
let stage: PromotionStage;
let passed = false;

beforeAll(async () => {
  stage = await PromotionStage.open([TENANT, NEIGHBOUR], PARTITIONS, ITEMS);
});

afterAll(async () => {
  if (!passed) console.error((await stage?.deployment.complaints()) ?? '');
  if (stage) expect(await stage.close()).toEqual([0, 0, 0, 0, 0, 0]);
});

/** A matter with three pieces of work on it, of 250 pounds each. */
async function ownRecords(api: ApiClient): Promise<Walked> {
  const own = await walk(api, 'GBP');
  for (const title of ['Letter', 'Call'])
    await api.create('workitems', {
      matterId: own.matterId,
      employeeId: own.employeeId,
      itemType: 0,
      title,
      entryDate: '2025-06-13T10:00:00Z',
      durationTicks: 36_000_000_000,
      units: 10,
      rate: { Amount: 250, Currency: 'GBP' },
    });
  return own;
}

/** Sets the neighbour's clerks to work, and a reader who reads what they write. */
async function neighbours(fight: Fight, over: () => boolean): Promise<{ api: ApiClient; reader: Reader }> {
  const writes = await stage.deployment.addressesOf('command');
  const caller = new Caller(NEIGHBOUR, stage.token(NEIGHBOUR), writes, ledger, outages);
  ledger.begin(NEIGHBOUR, 'divisions'); // the default one that every tenant has
  const firm = await openFirm(caller);
  const clerks = [1, 2].map((number) => new Clerk(`clerk ${number}`, caller, firm, new Random(number)));
  await Promise.all(clerks.map((clerk) => clerk.start()));
  const api = await stage.caller(NEIGHBOUR);
  const reader = new Reader([api], ledger, outages);
  const pace = new Pace(DUTIES_PER_SECOND);
  for (const clerk of clerks) fight.join(clerk.workUntil(over, pace));
  const read = async () => {
    const reading = new Pace(READS_PER_SECOND);
    while (!over()) {
      await reader.look();
      await reading.turn();
    }
  };
  fight.join(read());
  return { api, reader };
}

it('promotes an import under fire: the result is the same, and nobody sees a part of it', async () => {
  const { deployment, source } = stage;
  const api = await stage.caller(TENANT);
  const reading = await stage.caller(TENANT);
  const own = await ownRecords(api);
  await deployment.caughtUp();
  const { id: tenantId, stream } = await stage.registered(TENANT);
  const before = await sightOf(reading);
  const states = await statesOf(stage, tenantId);
  const requestId = await stage.import(api);
  const webhook = await api.data('POST', 'webhooks', { url: `${stage.receiver.url}/in`, events: ['*'] });

  const { rows, work } = source.firm;
  const after: Sight = {
    workitems: before.workitems + rows.WorkItem,
    matters: before.matters + rows.Matter,
    invoices: before.invoices + rows.Invoice,
    pennies: before.pennies + pennies(Number(work.total.amount)),
  };
  const fight = new Fight();
  const { lost } = fight;
  let isOver = false;
  const over = () => isOver || lost.aborted;
  const neighbour = await neighbours(fight, over);
  const onlookers = new Onlookers(reading, before, after, outages);
  fight.join(onlookers.watch(ONLOOKERS, over, new Pace(LOOKS_PER_SECOND)));
  const [address] = await deployment.addressesOf('command');
  const petitioner = new Petitioner(TENANT, stage.token(TENANT), address, outages);
  fight.join(petitioner.askUntil(over, new Pace(PETITIONS_PER_SECOND)));
  const strikes = new PromotionStrikes({ deployment, requestId, outages, lost });
  const points = pointsOf({ requestId, tenantId, arriving: await source.arriving(stream) });
  const carryOut = async () => {
    await strikes.strike(points, () => stage.promote(api, requestId));
    expect(await stage.ended(reading, requestId, 'Promotion', lost)).toMatchObject({ status: 'Promoted' });
    isOver = true;
  };
  fight.join(carryOut());
  await fight.over();

  expect(petitioner.refused.length).toBeGreaterThan(0);
  expect(await petitioner.ask()).toBe(true);
  await deployment.caughtUp();
  expect(await sightOf(reading)).toEqual(after);
  expect(onlookers.looks).toBeGreaterThan(100);
  expect(neighbour.reader.looks).toBeGreaterThan(10);
  await expectFigures(stage, reading, stream, { ...own, own: pennies(750) });
  const ids = states.map(({ stream_id }) => stream_id);
  expect(await statesOf(stage, tenantId, ids)).toEqual(states);
  await petitioner.expectKept(api);
  await expectUndisturbed(stage, tenantId);
  await expectTold(stage, webhook, petitioner);
  await expectStored(deployment.url, ledger);
  await expectReads([neighbour.api], ledger);
  await expectIntact(deployment.env);

  const events = await importedEvents(stage, tenantId);
  const again = await stage.import(api);
  await stage.promote(api, again);
  expect(await stage.ended(api, again, 'Promotion')).toMatchObject({
    status: 'Promoted',
    message: expect.stringContaining('0 records are new, 0 have changed'),
  });
  expect(await importedEvents(stage, tenantId)).toEqual(events);
  expect(await sightOf(reading)).toEqual(after);
  passed = true;
}, 1_200_000);
