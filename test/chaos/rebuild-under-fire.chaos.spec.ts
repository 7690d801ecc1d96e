import { randomInt } from 'node:crypto';
import { ApiClient, type Json } from '../support/client';
import { Caller } from './caller';
import { Clerk, openFirm } from './clerk';
import { cli } from './cli';
import { Deployment } from './deployment';
import { Fight } from './fight';
import { Ledger } from './ledger';
import { misfortunes, PROJECTIONS } from './misfortunes';
import { Outages } from './outages';
import { Random } from './random';
import { Reader } from './reader';
import { expectReads } from './reads';
import { Rebuilding } from './rebuilding';
import { expectStored } from './stored';

/**
 * Writers, readers and rebuilds of everything, all at full speed, while processes and the database are killed. The
 * choices are made by a seed, which a failure names: CHAOS_SEED=… makes the same ones again.
 */
const EVENTS = 20_000;
const CLERKS = 4;
const READERS = 6;
const tenants = Array.from({ length: 12 }, (_, index) => `firm${index + 1}`);
const seed = Number(process.env.CHAOS_SEED ?? randomInt(2 ** 31));

const ledger = new Ledger();
const outages = new Outages();
let deployment: Deployment;
let tokens: Map<string, string>;
let passed = false;

beforeAll(async () => {
  deployment = await Deployment.start();
  tokens = await deployment.openTenants(tenants);
  await deployment.caughtUp();
}, 120_000);

afterAll(async () => {
  if (!passed) console.error(`CHAOS_SEED=${seed}\n${(await deployment?.complaints()) ?? ''}`);
  if (deployment) expect(await deployment.stop()).toEqual([0, 0, 0]);
}, 60_000);

/** Every tenant's clerks, ready to work. */
async function hireClerks(): Promise<Clerk[]> {
  const address = await deployment.addressOf('command');
  const hired = tenants.map(async (tenant, number) => {
    const caller = new Caller(tenant, tokens.get(tenant)!, address, ledger, outages);
    ledger.begin(tenant, 'divisions'); // the one that every tenant is made with
    const firm = await openFirm(caller);
    return Array.from({ length: CLERKS }, (_, index) => {
      const random = new Random(seed + number * CLERKS + index);
      return new Clerk(`${tenant}.${index}`, caller, firm, random);
    });
  });
  const clerks = (await Promise.all(hired)).flat();
  await Promise.all(clerks.map((clerk) => clerk.start()));
  return clerks;
}

/** Callers who only read. */
async function readingClients(): Promise<ApiClient[]> {
  const address = {
    writes: await deployment.addressOf('command'),
    reads: await deployment.addressOf('query'),
  };
  return tenants.map((tenant) => new ApiClient(tenant, tokens.get(tenant)!, address));
}

it('rebuilds every read model under fire: nothing is lost, doubled or half shown', async () => {
  const [clerks, clients] = [await hireClerks(), await readingClients()];
  const readers = clients.map((client) => new Reader(client, ledger, outages));
  const fight = new Fight();
  const rebuilding = new Rebuilding(deployment.env, outages, fight.lost);
  const setting = { deployment, rebuilding, outages, random: new Random(seed), lost: fight.lost };
  let [struck, written] = [false, false];
  const enough = () => fight.lost.aborted || (struck && ledger.events >= EVENTS);
  const over = () => fight.lost.aborted || written;

  fight.join(rebuilding.run());
  fight.join(misfortunes({ ...setting, done: () => ledger.events / EVENTS }).then(() => (struck = true)));
  fight.join(Promise.all(clerks.map((clerk) => clerk.workUntil(enough))).then(() => (written = true)));
  for (let first = 0; first < READERS; first++) {
    const mine = readers.filter((_, index) => index % READERS === first);
    fight.join(watch(mine, over));
  }
  await fight.over();
  expect(rebuilding.rounds).toBeGreaterThan(0);
  expect(ledger.repeated).toBeGreaterThan(0);
  expect([...ledger.refused.keys()].sort()).toEqual([400, 409, 412, 422]);
  for (const { looks } of readers) expect(looks).toBeGreaterThan(10);
  await deployment.caughtUp();

  await expectStored(deployment.url, ledger);
  await expectReads(clients, ledger);
  await expectIntact();
  passed = true;
}, 300_000);

/** Looks at tenants in turn. */
async function watch(readers: Reader[], over: () => boolean): Promise<void> {
  while (!over()) for (const reader of readers) await reader.look();
}

/** The service's own proofs. */
async function expectIntact(): Promise<void> {
  const { env } = deployment;
  const [projections] = await Promise.all([
    cli(env, 'projections', 'list'),
    cli(env, 'projections', 'audit', '--all'),
    cli(env, 'streams', 'verify'),
    cli(env, 'audit', 'verify'),
  ]);
  expect(projections.map(({ name }: Json) => name)).toEqual(PROJECTIONS);
  for (const projection of projections) expect(projection).toMatchObject({ lag: 0, parked: [] });
}
