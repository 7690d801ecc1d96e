import { invalid } from '#kernel/errors';
import type { Projection } from './projection';

/** The projections that a process knows, by name. */
export class Projections {
  constructor(readonly all: readonly Projection[]) {}

  /** @throws DomainError unknown_projection */
  get(name: string): Projection {
    const projection = this.all.find((candidate) => candidate.name === name);
    if (projection) return projection;
    const names = this.all.map((known) => known.name).join(', ');
    throw invalid('unknown_projection', `There is no projection ${name}; there are ${names}.`);
  }
}
