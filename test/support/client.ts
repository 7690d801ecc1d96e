import { comparePositions, fromToken } from '#event-store/position';

// biome-ignore lint/suspicious/noExplicitAny: the JSON of any answer
export type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed if the answer is JSON, otherwise the text; undefined when it is empty. */
  body: Json;
}

export interface Credentials {
  clientId: string;
  clientSecret: string;
}

type Headings = Record<string, string>;

/** Bodies that are sent as they are. Any other body is sent as JSON. */
type Raw = string | URLSearchParams | FormData | Uint8Array | undefined;

/** Sends one request. */
export async function send(
  method: string,
  url: string,
  { body, headers = {} }: { body?: unknown; headers?: Headings } = {},
): Promise<Answer> {
  const type: Headings = isRaw(body) ? {} : { 'Content-Type': 'application/json' };
  const response = await fetch(url, {
    method,
    headers: { ...type, ...headers },
    body: isRaw(body) ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : isJson ? JSON.parse(text) : text,
  };
}

function isRaw(body: unknown): body is Raw {
  if (body === undefined || typeof body === 'string') return true;
  return [URLSearchParams, FormData, Uint8Array].some((type) => body instanceof type);
}

/** Requests a token with the specification's form fields. */
export function requestToken(
  baseUrl: string,
  { clientId, clientSecret }: Credentials,
  scope = 'https://api.example/.default',
): Promise<Answer> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope };
  return send('POST', `${baseUrl}/oauth2/token`, { body: new URLSearchParams(form) });
}

/** The most tries of a read. Each waits for up to five seconds. */
const MOST_READS = 12;
/** Codes that refuse a request because a read model is behind, for example when the tenant was created just now. */
const LATER = ['position_not_reached', 'not_yet_visible'];

/**
 * An integration of one tenant, over HTTP. Its reads wait for its last write (`X-Min-Position`), unless they name
 * another position. Writes and reads may go to different processes.
 */
export class ApiClient {
  /** The position of its last write, for which its reads wait. */
  position: string | undefined;

  constructor(
    readonly tenant: string,
    readonly token: string,
    private readonly address: { writes: string; reads: string },
  ) {}

  /** @param path below `/{tenant}/api/v1/`; from the root if it begins with a slash */
  send(method: string, path: string, body?: unknown, headers: Headings = {}): Promise<Answer> {
    // A client that has written nothing repeats its reads, too: an export waits for its own event, even without
    // X-Min-Position.
    const waits = this.isRead(method, path) && !headers['X-Min-Position'];
    return this.asked(waits ? MOST_READS : 1, method, path, body, headers);
  }

  /** A request that must succeed. @returns `data` of its answer @throws with the answer when it does not succeed */
  async data(method: string, path: string, body?: unknown, headers?: Headings): Promise<Json> {
    const answer = await this.asked(MOST_READS, method, path, body, headers);
    if (answer.status >= 300)
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body?.data;
  }

  /**
   * Repeats a read as its refusal advises: on a busy machine, read models may be behind for longer than one read waits.
   */
  private async asked(times: number, ...request: Parameters<ApiClient['send']>): Promise<Answer> {
    let answer = await this.once(...request);
    for (let tries = 1; tries < times && LATER.includes(answer.body?.code); tries++)
      answer = await this.once(...request);
    return answer;
  }

  protected async once(
    method: string,
    path: string,
    body?: unknown,
    headers: Headings = {},
  ): Promise<Answer> {
    const isRead = this.isRead(method, path);
    const base = isRead ? this.address.reads : this.address.writes;
    const url = `${base}${path.startsWith('/') ? path : `/${this.tenant}/api/v1/${path}`}`;
    const own: Headings = { Authorization: `Bearer ${this.token}` };
    if (isRead && this.position) own['X-Min-Position'] = this.position;
    const answer = await send(method, url, { body, headers: { ...own, ...headers } });
    const position = answer.headers.get('x-event-position');
    if (!isRead && position) this.wrote(position);
    return answer;
  }

  private isRead(method: string, path: string): boolean {
    return ['GET', 'HEAD'].includes(method) || path.endsWith('/graphql');
  }

  /** Keeps the greatest position, because the answers to concurrent writes arrive in any order. */
  private wrote(position: string): void {
    const isLater = !this.position || comparePositions(fromToken(position), fromToken(this.position)) > 0;
    if (isLater) this.position = position;
  }

  get(path: string, headers?: Headings): Promise<Answer> {
    return this.send('GET', path, undefined, headers);
  }

  post(path: string, body?: unknown, headers?: Headings): Promise<Answer> {
    return this.send('POST', path, body, headers);
  }

  patch(path: string, body: unknown, headers?: Headings): Promise<Answer> {
    return this.send('PATCH', path, body, headers);
  }

  delete(path: string, headers?: Headings): Promise<Answer> {
    return this.send('DELETE', path, undefined, headers);
  }

  /** The id of a new record. */
  async create(area: string, body: object): Promise<string> {
    return (await this.data('POST', area, body)).id;
  }

  /** The records of a list. The query's values are encoded here. */
  async rows(area: string, query: Record<string, string | number | boolean> = {}): Promise<Json[]> {
    const text = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) text.set(name, String(value));
    return (await this.data('GET', `${area}?${text}`)).rows;
  }

  graphql(query: string, variables: object, operationName = 'GetRows'): Promise<Answer> {
    return this.post(`/${this.tenant}/graphql`, { operationName, query, variables });
  }
}
