import { Agent, request } from 'node:http';

/** GETs JSON over one connection that stays open. This costs the machine a fraction of what fetch does. */
export class Getter {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(private readonly token: string) {}

  /** The answer's text, and the milliseconds until it had arrived completely. @throws unless the status is 200 */
  get(url: string): Promise<{ text: string; ms: number }> {
    const began = performance.now();
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.token}` };
      const sent = request(url, { agent: this.agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => (text += chunk));
        response.on('error', reject);
        response.on('end', () => {
          const ms = performance.now() - began;
          if (response.statusCode === 200) resolve({ text, ms });
          else reject(new Error(`GET ${url} answered ${response.statusCode}: ${text}`));
        });
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
