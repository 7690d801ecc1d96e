import { type Answer, type Json, send } from '../support/client';
import type { Known, Ledger } from './ledger';
import type { Outages } from './outages';

type Options = { body?: unknown; headers?: Record<string, string> };

/** Part of the text of every write that must be refused, so that traces of such writes can be found. */
export const REFUSED = 'NeverToBeStored';

let keys = 0;
const newKey = () => `chaos-${++keys}`;
const headings = (known: Known) => ({ 'If-Match': `"${known.version}"` });
const versionOf = ({ headers }: Answer) => Number(headers.get('etag')?.replaceAll('"', ''));

/**
 * An integration that writes carefully: it repeats every request until it knows the outcome. Its requests go to the
 * addresses in turn.
 */
export class Caller {
  private requests = 0;

  constructor(
    readonly tenant: string,
    private readonly token: string,
    private readonly addresses: string[],
    private readonly ledger: Ledger,
    private readonly outages: Outages,
  ) {}

  /** Creates a record. Its version is the number of its first events. */
  async create(area: string, body: object): Promise<Known> {
    this.ledger.begin(this.tenant, area);
    const { answer } = await this.post(area, body, 201);
    const { data } = answer.body;
    return this.state(answer, { tenant: this.tenant, area, id: data.id, version: data.version, view: data });
  }

  /** An action on a record that makes one event. */
  async act(known: Known, action: string): Promise<Known> {
    const { answer } = await this.post(`${known.area}/${known.id}/${action}`, undefined, 200);
    expectVersion(answer, versionOf(answer), known.version + 1);
    return this.state(answer, { ...known, version: known.version + 1, view: answer.body.data });
  }

  /** Finalises several work items with one request. */
  async finalise(items: Known[]): Promise<Known[]> {
    const ids = items.map(({ id }) => id);
    const { answer } = await this.post('workitems/finalise', { ids }, 200);
    const rows = answer.body.data.rows as Json[];
    if (!rows.every(({ success }, index) => success && rows[index].id === ids[index]))
      throw new Error(`Not all were finalised: ${JSON.stringify(rows)}`);
    const last = items.length - 1;
    return items.map((known, index) => {
      const version = known.version + 1;
      const view = { id: known.id, version, state: 1, stateName: 'Finalised', title: known.view.title };
      return this.state(index === last ? answer : undefined, { ...known, version, view });
    });
  }

  /** A change that makes one event. It has no Idempotency-Key: If-Match makes it safe to repeat. */
  async patch(known: Known, changes: object): Promise<Known> {
    const { answer, repeated } = await this.known('PATCH', `${known.area}/${known.id}`, {
      body: changes,
      headers: { ...headings(known), Prefer: 'return=representation' },
    });
    const version = known.version + 1;
    if (repeated && answer.status === 412 && versionOf(answer) === version) {
      return this.state(undefined, { ...known, version, view: { id: known.id, version, ...changes } });
    }
    expectStatus(answer, 200);
    expectVersion(answer, versionOf(answer), version);
    return this.state(answer, { ...known, version, view: answer.body.data });
  }

  async remove(known: Known): Promise<void> {
    const path = `${known.area}/${known.id}`;
    const { answer, repeated } = await this.known('DELETE', path, { headers: headings(known) });
    const done = repeated && answer.status === 404;
    if (!done) expectStatus(answer, 204);
    const version = known.version + 1;
    const view = { id: known.id, version, isDeleted: true };
    this.state(done ? undefined : answer, { ...known, version, view });
  }

  /** A write that must be refused with the given status and code. */
  async refused(method: string, path: string, options: Options, status: number, code: string): Promise<void> {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': newKey(), ...options.headers };
    const { answer } = await this.known(method, path, { ...options, headers });
    expectStatus(answer, status);
    if (answer.body.code !== code) throw new Error(`Refused as ${answer.body.code} and not ${code}`);
    this.ledger.refusal(status);
  }

  private async post(path: string, body: unknown, status: number) {
    const key = newKey();
    const result = await this.known('POST', path, { body, headers: { 'Idempotency-Key': key } });
    expectStatus(result.answer, status);
    this.ledger.keys.add(key);
    return result;
  }

  /** Repeats the request until its outcome is known. */
  private async known(method: string, path: string, { body, headers }: Options) {
    const options = { body, headers: { ...headers, Authorization: `Bearer ${this.token}` } };
    for (let repeated = false; ; repeated = true) {
      const began = Date.now();
      const address = this.addresses[this.requests++ % this.addresses.length];
      const url = `${address}/${this.tenant}/api/v1/${path}`;
      const answer = await send(method, url, options).catch((error: Error) => error);
      // Not `instanceof`: the errors of fetch come from another realm than Jest's.
      if ('status' in answer && answer.status < 500) return { answer, repeated };
      const what = 'status' in answer ? `${answer.status} ${JSON.stringify(answer.body)}` : answer;
      if (!this.outages.excuses(began)) throw new Error(`${method} ${path}: ${what}`);
      if (!repeated) this.ledger.repeated++;
      await this.outages.over();
    }
  }

  /** Records what an answer acknowledges. A repeated answer names no position. */
  private state(answer: Answer | undefined, known: Known): Known {
    const token = answer?.headers.get('x-event-position') ?? null;
    if (answer && token === null && !answer.headers.has('idempotent-replayed'))
      throw new Error(`The answer to a write of ${known.id} names no position`);
    return this.ledger.acknowledge(known, token);
  }
}

function expectStatus({ status, body }: Answer, wanted: number): void {
  if (status !== wanted) throw new Error(`Answered ${status} and not ${wanted}: ${JSON.stringify(body)}`);
}

function expectVersion({ body }: Answer, version: number, wanted: number): void {
  if (version !== wanted) throw new Error(`At version ${version} and not ${wanted}: ${JSON.stringify(body)}`);
}
