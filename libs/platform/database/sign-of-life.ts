import type { Client } from 'pg';

/** How long a frozen process may keep the locks of its session from others. */
export const SILENCE_MS = 15_000;

/**
 * Makes the server end a session when its process is frozen (a paused machine, a stopped process): others wait for its
 * locks, and a frozen process still answers keepalives. The session sends a query now and then until it ends, so that
 * only a frozen one is silent.
 * @param silenceMs how long the session may be silent
 */
export async function giveSigns(client: Client, silenceMs: number): Promise<void> {
  await client.query(
    `set idle_session_timeout = ${silenceMs}; set idle_in_transaction_session_timeout = ${silenceMs}`,
  );
  let isAsked = false;
  const ask = () => {
    // The session is not silent while its last query waits for another statement.
    if (isAsked) return;
    isAsked = true;
    client
      .query('select')
      .catch(() => undefined)
      .finally(() => {
        isAsked = false;
      });
  };
  const asking = setInterval(ask, silenceMs / 5).unref();
  client.once('end', () => clearInterval(asking));
}
