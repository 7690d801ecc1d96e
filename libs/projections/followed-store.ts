import { Injectable } from '@nestjs/common';
import { type Cursor, Feed } from '#event-store/feed';
import { printPosition } from '#event-store/position';
import { DomainError } from '#kernel/errors';
import { ReadDatabase } from '#platform/database';
import { liveModels } from './live-models';

/**
 * Detects read models in a separate database that were left behind when the store was restored to an earlier state.
 * They show records that no longer exist. New events may get positions before their checkpoints, and would never be
 * applied.
 */
@Injectable()
export class FollowedStore {
  constructor(
    private readonly reads: ReadDatabase,
    private readonly feed: Feed,
  ) {}

  /**
   * @throws DomainError `read_models_of_another_store` when a read model has applied an event that the store does not
   * have
   */
  async verify(): Promise<void> {
    const strange = await this.strange();
    if (!strange) return;
    throw new DomainError(
      'unavailable',
      'read_models_of_another_store',
      `The read models have come to ${printPosition(strange.after)} in partition ${strange.partition}, ` +
        'where the store has no event: it was restored to an earlier state, or is another one. ' +
        'Build them again: cli projections rebuild --all, or set READ_DATABASE_URL to an empty database',
    );
  }

  /** A checkpoint that is not the position of any event. */
  private async strange(): Promise<Cursor | undefined> {
    const models = [...(await liveModels(this.reads.pool)).values()];
    const tracks = models.flatMap(({ main, alone, parked, held }) => [main, ...alone, ...parked, ...held]);
    const reached = tracks.flatMap((track) => [...track.reached]);
    return this.feed.strange(reached.map(([partition, after]) => ({ partition, after })));
  }
}
