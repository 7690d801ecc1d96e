import { Pool } from 'pg';
import { waitFor } from '../support/wait-for';
import { type Deployment, workerName } from './deployment';
import { Hold } from './hold';
import { LOADED_MS } from './loaded';
import type { Outages } from './outages';
import type { Point, Victim } from './promotion-points';

interface Setting {
  deployment: Deployment;
  requestId: string;
  outages: Outages;
  /** Aborted when something else has failed. */
  lost: AbortSignal;
}

/** A promotion that stands at a point. */
interface Stand {
  point: Point;
  hold: Hold;
  /** The number of the worker that carries the promotion out. */
  copy: number;
  /** Holds the promotion at the next point; undefined at the last point. */
  next: (() => Promise<Hold>) | undefined;
}

/** Kills what a promotion needs, at one point after another. */
export class PromotionStrikes {
  private readonly pool: Pool;
  private restarts: Promise<void>[] = [];
  private projectors = 0;

  private readonly strikes: Record<Victim, (stand: Stand) => Promise<Hold | undefined>> = {
    worker: (stand) => this.killWorker(stand),
    database: (stand) => this.loseDatabase(stand),
    projector: (stand) => this.killProjector(stand),
  };

  constructor(private readonly setting: Setting) {
    this.pool = new Pool({ connectionString: setting.deployment.url, max: 2 });
    this.pool.on('error', () => undefined); // an idle connection broke; the next query opens another one
  }

  /**
   * Kills each point's victim. The promotion stands at the point until its victim is dead; everything that was killed
   * is started again.
   * @param begin begins the promotion
   */
  async strike(points: readonly Point[], begin: () => Promise<unknown>): Promise<void> {
    const { url } = this.setting.deployment;
    const take = ({ sql, values }: Point) => Hold.take(url, sql, values);
    let hold: Hold | undefined = await take(points[0]);
    try {
      await begin();
      for (const [index, point] of points.entries()) {
        const copy = await this.caught(hold!, point);
        expect(await this.standing()).toEqual({ status: 'Promoting', step: point.step });
        const following = points.at(index + 1);
        const next = following && (() => take(following));
        hold = await this.strikes[point.victim]({ point, hold: hold!, copy, next });
      }
      await Promise.all(this.restarts);
    } finally {
      await hold?.letGo();
      await Promise.allSettled(this.restarts);
      await this.pool.end();
    }
  }

  /** The dead worker's database sessions still carry out their last statements, but nobody receives the answers. */
  private async killWorker({ point, hold, copy, next }: Stand): Promise<Hold | undefined> {
    const { deployment } = this.setting;
    const sessions = await this.ask<{ pid: number }>(
      'select pid from pg_stat_activity where application_name = $1',
      [workerName(copy)],
    );
    this.restart(await deployment.fell('worker', copy));
    await hold.letGo();
    const pids = sessions.map(({ pid }) => pid);
    await this.until(
      async () => (await this.ask('select from pg_stat_activity where pid = any($1)', [pids])).length === 0,
      `the sessions of worker ${copy} to end`,
    );
    // No worker may take the promotion over before everything that died is back.
    const frozen = await this.freeze(point.step === 'Appending');
    const held = await next?.();
    await Promise.all(this.restarts);
    await frozen.commit();
    return held;
  }

  /** A crash rolls everything in progress back and releases all locks. */
  private async loseDatabase({ hold, next }: Stand): Promise<Hold | undefined> {
    const { deployment, outages } = this.setting;
    let held: Hold | undefined;
    await deployment.loseDatabase(outages, async () => {
      held = await this.until(() => next!().catch(() => undefined), 'the next point to be held');
    });
    await hold.letGo();
    await (await this.freeze(false)).commit();
    return held;
  }

  /** The promotion continues without the projector. */
  private async killProjector({ hold, next }: Stand): Promise<Hold | undefined> {
    this.restart(await this.setting.deployment.fell('projector', this.projectors++ % 2));
    const held = await next?.();
    await hold.letGo();
    return held;
  }

  private restart(start: () => Promise<void>): void {
    const starting = start();
    starting.catch(() => undefined); // reported when `strike` awaits all restarts
    this.restarts.push(starting);
  }

  /**
   * Until the hold is committed, no worker takes the promotion over. Then one does so at once, as if the lease had run
   * out.
   * @param waitsForLease leaves the lease as it is, so that the next worker waits until it runs out
   */
  private freeze(waitsForLease: boolean): Promise<Hold> {
    const { deployment, requestId } = this.setting;
    const sql = waitsForLease
      ? 'select from import.requests where id = $1 for update'
      : 'update import.requests set leased_until = now() where id = $1';
    return Hold.take(deployment.url, sql, [requestId]);
  }

  /** Waits until a worker waits for the lock. @returns the worker's number */
  private async caught({ pid }: Hold, { step, at }: Point): Promise<number> {
    const point = `${step}: ${at}`;
    const waiting = await this.until(async () => {
      await this.expectUnended(point);
      const found = await this.ask<{ copy: number }>(
        `select substring(application_name from '\\d+$')::int as copy from pg_stat_activity
         where application_name like 'worker %' and $1 = any(pg_blocking_pids(pid))`,
        [pid],
      );
      return found.at(0);
    }, `the promotion to stand in ${point}`);
    return waiting.copy;
  }

  private async expectUnended(point: string): Promise<void> {
    const [ended] = await this.ask<{ message: string }>(
      'select message from import.requests where id = $1 and finished_at is not null',
      [this.setting.requestId],
    );
    if (ended) throw new Error(`The promotion ended before it came to ${point}. ${ended.message}`);
  }

  private async standing() {
    const [row] = await this.ask<{ status: string; step: string }>(
      'select status, promotion_step as step from import.requests where id = $1',
      [this.setting.requestId],
    );
    return row;
  }

  private async ask<Row extends object>(sql: string, values: unknown[]): Promise<Row[]> {
    return (await this.pool.query<Row>(sql, values)).rows;
  }

  private async until<T>(condition: () => Promise<T>, description: string): Promise<NonNullable<T>> {
    const { lost } = this.setting;
    const found = await waitFor(
      async () => {
        lost.throwIfAborted();
        return condition();
      },
      { timeoutMs: LOADED_MS, description },
    );
    return found as NonNullable<T>;
  }
}
