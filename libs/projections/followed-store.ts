import { Injectable } from '@nestjs/common';
import { comparePositions, printPosition, START } from '#event-store/position';
import { DomainError } from '#kernel/errors';
import { ReadDatabase, WriteDatabase } from '#platform/database';
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
    private readonly writes: WriteDatabase,
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
      `The read models have come to ${strange.at} in partition ${strange.partition}, where the store has no event: ` +
        'it was restored to an earlier state, or is another one. Build them again: cli projections rebuild --all, ' +
        'or set READ_DATABASE_URL to an empty database',
    );
  }

  /** A checkpoint that is not the position of any event, as printPosition prints it. */
  private async strange(): Promise<{ partition: number; at: string } | undefined> {
    const models = [...(await liveModels(this.reads.pool)).values()];
    const tracks = models.flatMap(({ main, alone, parked, held }) => [main, ...alone, ...parked, ...held]);
    const reached = tracks
      .flatMap((track) => [...track.reached])
      .filter(([, at]) => comparePositions(at, START) > 0);
    const { rows } = await this.writes.pool.query<{ partition: number; at: string }>(
      `select * from unnest($1::smallint[], $2::text[]) c(partition, at)
       where not exists (
         select from event_store.events e
         where e.partition = c.partition and e.epoch = split_part(c.at, '.', 1)::int
           and e.transaction_id = split_part(c.at, '.', 2)::xid8 and e.position = split_part(c.at, '.', 3)::bigint
       ) limit 1`,
      [reached.map(([partition]) => partition), reached.map(([, at]) => printPosition(at))],
    );
    return rows[0];
  }
}
