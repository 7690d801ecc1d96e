import type { Client } from 'pg';
import type { ReadDatabase } from '#platform/database';

/** One or a few statements on a session that does nothing else meanwhile. */
export type Task = (client: Client) => Promise<void>;

/** Sessions that write reproducible data in parallel. */
export class Lanes {
  private constructor(private readonly sessions: readonly Client[]) {}

  /**
   * Opens sessions with asynchronous commits. A crash of the server may lose their last commits. They are safe once
   * something is committed elsewhere with a commit that waits for the disk, and only that commit may record that they
   * exist.
   * @param prepare runs on each session before its first task
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

  /** Runs each task on the next free session. @throws the error of the first failed task, once no task is running */
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
