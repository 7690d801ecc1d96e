import type { Client } from 'pg';

/** So long a process that is frozen keeps others from what its session has locked. */
export const SILENCE_MS = 15_000;

/**
 * Has the server end a session when its process is frozen (a paused machine, a stopped process), which still answers
 * keepalives: others wait for its locks. Until it ends, the session is asked something now and then, whatever it does.
 * @param silenceMs after so much silence
 */
export async function giveSigns(client: Client, silenceMs: number): Promise<void> {
  await client.query(
    `set idle_session_timeout = ${silenceMs}; set idle_in_transaction_session_timeout = ${silenceMs}`,
  );
  let isAsked = false;
  const ask = () => {
    // One that has a statement in hand is not silent.
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
