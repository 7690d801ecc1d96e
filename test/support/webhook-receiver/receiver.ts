import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Secret } from '#webhooks/protocol/secret';
import { verifyPe2, verifyStandard } from './verify';

export interface Behaviour {
  /** 0 for any free port. */
  port: number;
  /** Without secrets, signatures are shown but not verified. */
  secrets: readonly Secret[];
  status: number;
  delayMs: number;
  retryAfter?: string;
}

const mostBytes = 4 * 1024 * 1024;

/**
 * Takes deliveries on loopback, shows them, and answers as configured. Answers 401 to deliveries that no secret has
 * signed.
 */
export class WebhookReceiver {
  private readonly seen = new Map<string, number>();
  private readonly server = createServer((request, reply) => {
    this.take(request, reply).catch((error) => {
      this.print(`Broken off: ${error.message}`);
      reply.destroy();
    });
  });

  private constructor(
    private readonly behaviour: Behaviour,
    private readonly print: (text: string) => void,
  ) {}

  static async start(behaviour: Behaviour, print: (text: string) => void): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(behaviour, print);
    await once(receiver.server.listen(behaviour.port, '127.0.0.1'), 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }

  private async take(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const body = await read(request);
    if (body === undefined) return void reply.writeHead(413).end();
    const { secrets, delayMs } = this.behaviour;
    const { headers } = request;
    const verdicts =
      secrets.length === 0
        ? undefined
        : { standard: verifyStandard(headers, body, secrets), pe2: verifyPe2(headers, body, secrets) };
    const isRefused =
      verdicts !== undefined &&
      (verdicts.standard !== 'verified' || !['verified', 'absent'].includes(verdicts.pe2));
    const status = isRefused ? 401 : this.behaviour.status;
    this.print(
      [
        `${new Date().toISOString()}  ${request.method} ${request.url}  ${typeOf(body)}`,
        ...namesShown.flatMap((name) => (headers[name] ? [`  ${name}: ${headers[name]}`] : [])),
        `  attempt ${this.count(headers['webhook-id'])} of this id here`,
        `  standard signature: ${verdicts?.standard ?? 'not verified, no secret given'}`,
        `  X-PE2 signature: ${verdicts?.pe2 ?? 'not verified, no secret given'}`,
        `  answered ${status}${delayMs > 0 ? ` after ${delayMs} ms` : ''}`,
        indented(body),
        '',
      ].join('\n'),
    );
    // An answer that is still to come does not keep a stopped receiver running.
    if (delayMs > 0) await delay(delayMs, undefined, { ref: false });
    const { retryAfter } = this.behaviour;
    reply.writeHead(status, retryAfter === undefined ? {} : { 'Retry-After': retryAfter }).end();
  }

  private count(id: string | string[] | undefined): number {
    const count = (this.seen.get(String(id)) ?? 0) + 1;
    this.seen.set(String(id), count);
    return count;
  }
}

const namesShown = [
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'x-pe2-request-id',
  'x-pe2-timestamp',
  'x-pe2-tenant-alias',
  'x-pe2-webhook-signature',
];

async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function typeOf(body: string): string {
  return /"type"\s*:\s*"([^"]*)"/.exec(body)?.[1] ?? '(no type)';
}

function indented(body: string): string {
  let text = body;
  try {
    text = JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    // not JSON: shown as it came
  }
  return text.replaceAll(/^/gm, '  ');
}
