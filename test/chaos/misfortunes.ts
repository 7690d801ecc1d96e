import { waitFor } from '../support/wait-for';
import type { Deployment } from './deployment';
import type { Outages } from './outages';
import type { Random } from './random';
import type { Rebuilding } from './rebuilding';

/** In the order in which all are rebuilt. */
export const PROJECTIONS = [
  'tenants',
  'people',
  'clients',
  'employees',
  'divisions',
  'matters',
  'work-items',
  'fee-analysis',
];

interface Setting {
  deployment: Deployment;
  rebuilding: Rebuilding;
  outages: Outages;
  random: Random;
  /** How much of the work is done: 0 to 1. */
  done(): number;
  lost: AbortSignal;
}

/**
 * The projector dies five times; a rebuild, the database and the process that writes once each, in any order and all
 * through the work. No rebuild is begun after the last of these: it would only hide what they have done.
 */
export async function misfortunes(setting: Setting): Promise<void> {
  const { deployment, rebuilding, outages, random, done, lost } = setting;
  const killProjector = () => deployment.kill('projector');
  const killRebuild = () => {
    rebuilding.kill();
    return rebuilding.takenUp();
  };
  const strikes = random.shuffled([
    { duringRebuild: false, strike: killProjector },
    { duringRebuild: false, strike: killProjector },
    { duringRebuild: true, strike: killProjector },
    { duringRebuild: true, strike: killProjector },
    { duringRebuild: true, strike: killProjector },
    { duringRebuild: true, strike: killRebuild },
    { duringRebuild: true, strike: () => deployment.loseDatabase(outages) },
    { duringRebuild: false, strike: () => deployment.loseCommand(outages) },
  ]);
  for (const [index, { duringRebuild, strike }] of strikes.entries()) {
    const at = (index + random.next()) / strikes.length;
    const isTime = () => lost.aborted || done() >= at;
    await waitFor(isTime, { timeoutMs: 120_000, description: `${at} of the work` });
    if (duringRebuild) await rebuilding.underWay(random.shuffled(PROJECTIONS).slice(0, 3));
    if (lost.aborted) return;
    if (index === strikes.length - 1) rebuilding.stop();
    await strike();
  }
}
