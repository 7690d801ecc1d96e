import { randomInt } from 'node:crypto';
import { Deployment } from './deployment';
import { Fight } from './fight';
import { Firms, tenants } from './firms';
import { expectIntact, PROJECTIONS } from './intact';
import { Ledger } from './ledger';
import { type Misfortune, misfortunes } from './misfortunes';
import { Outages } from './outages';
import { Random } from './random';
import { expectReads } from './reads';
import { Rebuilding } from './rebuilding';
import { expectStored } from './stored';

/**
 * Writers and rebuilds of all read models at full speed, and readers beside them, while processes and the database are
 * killed. A seed determines the choices. A failure names the seed, and CHAOS_SEED=… repeats the same choices.
 */
const EVENTS = 20_000;
const seed = Number(process.env.CHAOS_SEED ?? randomInt(2 ** 31));

const ledger = new Ledger();
const outages = new Outages();
let deployment: Deployment;
let tokens: Map<string, string>;
let passed = false;

beforeAll(async () => {
  deployment = await Deployment.start({ command: 1, query: 1, projector: 1 });
  tokens = await deployment.openTenants(tenants);
  await deployment.caughtUp();
});

afterAll(async () => {
  if (!passed) console.error(`CHAOS_SEED=${seed}\n${(await deployment?.complaints()) ?? ''}`);
  if (deployment) expect(await deployment.stop()).toEqual([0, 0, 0]);
});

/**
 * Kills the projector five times, and a rebuild, the database and the command process once each. No rebuild begins
 * after the last of these, because it would hide the damage.
 */
function strikes(rebuilding: Rebuilding, random: Random, lost: AbortSignal): Misfortune[] {
  const anyTime =
    (strike: () => Promise<void>): Misfortune =>
    (isLast) => {
      if (isLast) rebuilding.stop();
      return strike();
    };
  const duringRebuild =
    (strike: () => Promise<void>): Misfortune =>
    async (isLast) => {
      await rebuilding.underWay(random.shuffled(PROJECTIONS).slice(0, 3));
      if (!lost.aborted) await anyTime(strike)(isLast);
    };
  const killProjector = () => deployment.kill('projector');
  const killRebuild = () => {
    rebuilding.kill();
    return rebuilding.takenUp();
  };
  return [
    anyTime(killProjector),
    anyTime(killProjector),
    duringRebuild(killProjector),
    duringRebuild(killProjector),
    duringRebuild(killProjector),
    duringRebuild(killRebuild),
    duringRebuild(() => deployment.loseDatabase(outages)),
    anyTime(() => deployment.loseCommand(outages)),
  ];
}

it('rebuilds every read model under fire: nothing is lost, duplicated or partly shown', async () => {
  const firms = await Firms.open(deployment, tokens, ledger, outages, seed);
  const fight = new Fight();
  const { lost } = fight;
  const rebuilding = new Rebuilding(deployment.env, outages, lost);
  const random = new Random(seed);
  const done = () => ledger.events / EVENTS;
  let struck = false;

  fight.join(rebuilding.run());
  const all = strikes(rebuilding, random, lost);
  fight.join(misfortunes(all, { random, done, lost }).then(() => (struck = true)));
  firms.work(fight, () => struck && done() >= 1);
  await fight.over();
  expect(rebuilding.rounds).toBeGreaterThan(0);
  expect(ledger.repeated).toBeGreaterThan(0);
  expect([...ledger.refused.keys()].sort()).toEqual([400, 409, 412, 422]);
  for (const { looks } of firms.readers) expect(looks).toBeGreaterThan(10);
  await deployment.caughtUp();

  await expectStored(deployment.url, ledger);
  await expectReads(firms.askers, ledger);
  await expectIntact(deployment.env);
  passed = true;
}, 900_000);
