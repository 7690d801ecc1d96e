import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Begins calls by the clock, however long earlier ones take, as independent callers would.
 * @param rate calls a second
 * @throws what the first call that fails throws, after all have ended
 */
export async function openLoop(
  rate: number,
  seconds: number,
  one: (number: number) => Promise<void>,
): Promise<void> {
  const total = Math.round(rate * seconds);
  const calls: Promise<void>[] = [];
  const failures: unknown[] = [];
  const began = performance.now();
  while (calls.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - began) / 1000) * rate) + 1);
    while (calls.length < due) {
      calls.push(
        one(calls.length).catch((error) => {
          failures.push(error);
        }),
      );
    }
    await delay(1);
  }
  await Promise.all(calls);
  if (failures.length > 0) throw failures[0];
}

/** Answer of a POST, and when all of it was there, by performance.now(). */
export interface Posted {
  status: number;
  body: string;
  at: number;
}

/** Posts JSON over connections that stay open; costs the machine a fraction of what fetch does. */
export class Poster {
  /** Without a bound, a service that stalls for a second is met by more connections than the system keeps for it. */
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 100 });

  constructor(private readonly token: string) {}

  post(url: string, body: object): Promise<Posted> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
      const sent = request(url, { method: 'POST', agent: this.agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => (text += chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode!, body: text, at: performance.now() }),
        );
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
