import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it arrived. */
export interface ReceivedSpan {
  service: string;
  resource: Record<string, unknown>;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  attributes: Record<string, unknown>;
  /** The status code of OTLP: 2 is an error. */
  status: number;
  /** Milliseconds since 1970. */
  start: number;
  end: number;
}

interface KeyValue {
  key: string;
  value: Record<string, unknown> & { arrayValue?: { values: Record<string, unknown>[] } };
}

interface ExportRequest {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: { spans: Record<string, unknown>[] }[];
  }[];
}

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

/** A collector that receives OTLP/HTTP in JSON. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  /** The text of everything received. */
  text = '';
  private readonly server = createServer(async (request, reply) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { method, url, headers } = request;
    if (method !== 'POST' || url !== '/v1/traces') return void reply.writeHead(404).end();
    if (this.mute) return;
    this.headers.push(headers);
    this.text += body;
    this.spans.push(...spansOf(JSON.parse(body)));
    reply.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });

  /** @param mute whether it takes requests and never answers */
  private constructor(private readonly mute: boolean) {}

  static async start({ mute = false } = {}): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver(mute);
    await once(receiver.server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }
}

function spansOf({ resourceSpans }: ExportRequest): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const about = valuesOf(resource.attributes);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(
        (span): ReceivedSpan => ({
          service: String(about['service.name']),
          resource: about,
          traceId: String(span.traceId),
          spanId: String(span.spanId),
          parentSpanId: (span.parentSpanId as string) || undefined,
          name: String(span.name),
          kind: KINDS[Number(span.kind)],
          attributes: valuesOf(span.attributes as KeyValue[]),
          status: (span.status as { code?: number }).code ?? 0,
          start: Number(span.startTimeUnixNano) / 1e6,
          end: Number(span.endTimeUnixNano) / 1e6,
        }),
      ),
    );
  });
}

function valuesOf(attributes: KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.arrayValue ? value.arrayValue.values.map(scalar) : scalar(value),
    ]),
  );
}

function scalar(value: Record<string, unknown>): unknown {
  return Object.values(value)[0];
}
