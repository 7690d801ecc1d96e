/**
 * A receiver as existing clients of the specified service implement it. It knows nothing of this project, and is
 * written only from the facts that the design and clients share: plain Node, none of this project's code.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Accepted {
  type: string;
  tenant: string;
  requestId: string;
  id: string;
  record: unknown;
}

/**
 * Answers 200 to what it accepts, 401 to a request that is not signed with its secret, and 400 to what it cannot read.
 */
export class ExistingClient {
  readonly accepted: Accepted[] = [];
  readonly refused: string[] = [];

  /** @param secret the GUID that it registered with */
  constructor(private readonly secret: string) {}

  readonly listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    request.setEncoding('utf8');
    for await (const chunk of request) text += chunk;
    const answer = (status: number, why?: string) => {
      if (why) this.refused.push(why);
      response.writeHead(status).end();
    };
    if (request.method !== 'POST') return answer(405, 'method');
    const requestId = String(request.headers['x-pe2-request-id']);
    const timestamp = String(request.headers['x-pe2-timestamp']);
    const signature = String(request.headers['x-pe2-webhook-signature']);
    const tenant = request.headers['x-pe2-tenant-alias'];
    if (!this.isSigned(signature, `${requestId}|${timestamp}`)) return answer(401, 'signature');
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/.test(timestamp)) return answer(400, 'timestamp');
    if (Math.abs(Date.now() - Date.parse(timestamp)) > 300_000) return answer(401, 'stale');
    const body = JSON.parse(text);
    if (body.requestId !== requestId) return answer(400, 'requestId');
    if (typeof body.type !== 'string' || Number.isNaN(Date.parse(body.timestamp))) return answer(400, 'type');
    if (typeof body.data.id !== 'string' || !('sourceId' in body.data)) return answer(400, 'data');
    const record = body.data.data;
    this.accepted.push({ type: body.type, tenant: String(tenant), requestId, id: body.data.id, record });
    answer(200);
  };

  private isSigned(signature: string, signed: string): boolean {
    const hex = this.secret.replaceAll('-', '');
    const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    const key = Buffer.from(order.map((index) => Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16)));
    const expected = Buffer.from(`HMACSHA256:${createHmac('sha256', key).update(signed).digest('base64')}`);
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}
