import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ReadDatabase } from '#platform/database';
import { registerGauge } from '#platform/observability/gauge';
import { Projections } from '../projections';
import { ABANDONED } from './generation-tables';

interface Unfinished {
  projection: string;
  rebuilds: number;
  events: number;
}

/**
 * The gauges of rebuilds on `/metrics`. Their values come from the database, because a rebuild may run in a process
 * without `/metrics`: the operator's command line.
 */
@Injectable()
export class RebuildMetrics implements OnModuleInit {
  constructor(
    private readonly projections: Projections,
    private readonly reads: ReadDatabase,
  ) {}

  onModuleInit(): void {
    registerGauge(
      'projection_rebuilds_unfinished',
      'Rebuilds of a read model that are running or were interrupted, those of promotions included.',
      ['projection'],
      (set) => this.each((name, one) => set(one?.rebuilds ?? 0, name)),
    );
    registerGauge(
      'projection_rebuild_events',
      'Events that the unfinished rebuild of a read model has taken from the history so far; 0 when there is none.',
      ['projection'],
      (set) => this.each((name, one) => set(one?.events ?? 0, name)),
    );
  }

  private async each(tell: (name: string, unfinished: Unfinished | undefined) => void): Promise<void> {
    const { rows } = await this.reads.pool.query<Unfinished>(
      `select projection, count(*)::int as rebuilds, sum(events)::float8 as events
       from read_model.generations g
       where version <> $1
         and generation > (select max(generation) from read_model.live l where l.projection = g.projection)
       group by projection`,
      [ABANDONED],
    );
    const unfinished = new Map(rows.map((row) => [row.projection, row]));
    for (const { name } of this.projections.all) tell(name, unfinished.get(name));
  }
}
