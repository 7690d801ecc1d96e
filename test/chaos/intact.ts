import { projections } from '#practice/areas';
import type { Json } from '../support/client';
import { cli } from './cli';

/** Every read model, in the order in which `--all` rebuilds them. */
export const PROJECTIONS = projections.map(({ name }) => name);

/**
 * Runs the service's own checks: no lag, no parked or held events, every read model equal to a rebuild, streams and
 * seals sound.
 */
export async function expectIntact(env: Record<string, string>): Promise<void> {
  const [projections] = await Promise.all([
    cli(env, 'projections', 'list'),
    cli(env, 'projections', 'audit', '--all'),
    cli(env, 'streams', 'verify'),
    cli(env, 'audit', 'verify'),
  ]);
  expect(projections.map(({ name }: Json) => name)).toEqual(PROJECTIONS);
  for (const projection of projections) expect(projection).toMatchObject({ lag: 0, parked: [], held: [] });
}
