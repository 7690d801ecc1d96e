import { Pool } from 'pg';
import { waitFor } from '../support/wait-for';
import { type RunningCli, startCli } from './cli';
import { LOADED_MS } from './loaded';
import type { Outages } from './outages';

const GENERATIONS =
  'select from read_model.generations g join read_model.live l on l.projection = g.projection';

/** Rebuilds all projections over and over. */
export class Rebuilding {
  /** The number of completed rounds. */
  rounds = 0;
  private present?: RunningCli;
  private killed = false;
  private stopping = false;

  constructor(
    private readonly env: Record<string, string>,
    private readonly outages: Outages,
    private readonly lost: AbortSignal,
  ) {
    lost.addEventListener('abort', () => this.kill());
  }

  /** Continues until stop() is called or the fight is lost. @throws when a rebuild fails that nobody disturbed */
  async run(): Promise<void> {
    while (!this.stopping && !this.lost.aborted) {
      const began = Date.now();
      this.present = startCli(this.env, 'projections', 'rebuild', '--all');
      const { code, stdout, stderr } = await this.present.finished;
      if (code === 0) this.rounds++;
      else if (!this.killed && !this.outages.excuses(began))
        throw new Error(`A rebuild ended with ${code}: ${stdout}${stderr}`);
      else await this.takenUp();
      this.killed = false;
    }
  }

  /** Resolves when a new generation of one of these projections is being built. */
  underWay(projections: string[]): Promise<void> {
    const sql = `${GENERATIONS} where g.projection = any($1) and g.generation > l.generation`;
    return this.until(sql, [projections], (count) => count > 0, `a rebuild of ${projections}`);
  }

  /** Begins no further round. */
  stop(): void {
    this.stopping = true;
  }

  kill(): void {
    this.killed = true;
    this.present?.kill();
  }

  /** Resolves when the projector has completed the generations that a killed rebuild left behind. */
  async takenUp(): Promise<void> {
    await this.outages.over();
    const sql = `${GENERATIONS} where g.generation <> l.generation`;
    await this.until(sql, [], (count) => count === 0, 'the projector to take a dead rebuild up');
  }

  private async until(
    sql: string,
    values: string[][],
    wanted: (count: number) => boolean,
    description: string,
  ): Promise<void> {
    const pool = new Pool({ connectionString: this.env.DATABASE_URL, max: 1 });
    pool.on('error', () => undefined); // an idle connection broke; the next query opens another one
    const asked = async () => {
      const began = Date.now();
      try {
        return wanted((await pool.query(sql, values)).rowCount!);
      } catch (error) {
        if (!this.outages.excuses(began)) throw error;
        await this.outages.over();
        return false;
      }
    };
    try {
      await waitFor(async () => this.lost.aborted || asked(), { timeoutMs: LOADED_MS, description });
    } finally {
      await pool.end();
    }
  }
}
