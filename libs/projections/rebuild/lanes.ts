import type { Client } from 'pg';
import type { ReadDatabase } from '#platform/database';

/** A statement or a few, on a session that does nothing else meanwhile. */
export type Task = (client: Client) => Promise<void>;

/** Sessions that write side by side what can be made again. */
export class Lanes {
  private constructor(private readonly sessions: readonly Client[]) {}

  /**
   * A crash of the server may take their last commits: they are kept once something is committed elsewhere that waits
   * for the disk, and only that may tell that they are there.
   * @param prepare each, before its first task
   */
  static async open(
    database: ReadDatabase,
    count: number,
    prepare: Task,
    signal?: AbortSignal,
  ): Promise<Lanes> {
    const sessions: Client[] = [];
    const lanes = new Lanes(sessions);
    try {
      while (sessions.length < count) {
        const session = await database.watchedSession(signal);
        sessions.push(session);
        await session.query('set synchronous_commit = off');
        await prepare(session);
      }
      return lanes;
    } catch (error) {
      await lanes.close();
      throw error;
    }
  }

  /** Does each on the next session that is free. @throws what the first that fails does, once none is under way */
  async each(tasks: readonly Task[]): Promise<void> {
    const waiting = [...tasks];
    const done = this.sessions.map(async (session) => {
      for (let task = waiting.shift(); task; task = waiting.shift()) {
        try {
          await task(session);
        } catch (error) {
          waiting.length = 0;
          throw error;
        }
      }
    });
    const failure = (await Promise.allSettled(done)).find(({ status }) => status === 'rejected');
    if (failure) throw (failure as PromiseRejectedResult).reason;
  }

  async close(): Promise<void> {
    await Promise.all(this.sessions.map((session) => session.end()));
  }
}
