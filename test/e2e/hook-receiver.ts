import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Json } from '../support/client';
import { waitFor } from '../support/wait-for';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: Json;
  at: number;
}

/** A receiver of webhooks in the test's own process, which answers as configured. */
export class HookReceiver {
  readonly received: Received[] = [];
  /** Status and headers of the answer to a delivery. */
  answer: (received: Received) => { status: number; headers?: Record<string, string>; body?: string } =
    () => ({
      status: 204,
    });

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(): Promise<HookReceiver> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const receiver = new HookReceiver(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { url = '', headers } = request;
        const received = { path: url, headers, text, body: JSON.parse(text), at: Date.now() };
        receiver.received.push(received);
        const { status, headers: own, body } = receiver.answer(received);
        response.writeHead(status, own).end(body);
      });
    });
    return receiver;
  }

  /** The deliveries to an address. */
  at(path: string): Received[] {
    return this.received.filter((each) => each.path === path);
  }

  /** Waits until an address has received the given number of deliveries. */
  async some(path: string, count = 1): Promise<Received[]> {
    await waitFor(() => this.at(path).length >= count, { description: `${count} deliveries at ${path}` });
    return this.at(path);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }
}

/**
 * Verifies a signature as of the time when the delivery arrived: the library refuses deliveries that are older than
 * five minutes.
 * @throws when the secret did not make the signature
 */
export function verify(
  { text, headers, at }: Pick<Received, 'text' | 'headers' | 'at'>,
  secret: string,
): void {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(at);
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
  } finally {
    clock.mockRestore();
  }
}
