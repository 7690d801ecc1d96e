import { type Answer, type ApiClient, type Json, send } from '../support/client';
import type { Outages } from './outages';
import type { Pace } from './pace';

/**
 * Keeps writing to a tenant that is being promoted. Each write must succeed, or be refused because of the promotion.
 */
export class Petitioner {
  /** Names of the divisions that were to be created, by the answer to the request. */
  readonly accepted: string[] = [];
  readonly refused: string[] = [];
  /** Those whose outcome is unknown, because the database was away. */
  readonly unknown: string[] = [];
  private asked = 0;

  constructor(
    private readonly tenant: string,
    private readonly token: string,
    private readonly address: string,
    private readonly outages: Outages,
  ) {}

  async askUntil(isOver: () => boolean, pace: Pace): Promise<void> {
    while (!isOver()) {
      await this.ask();
      await pace.turn();
    }
  }

  /** @returns whether the division was created */
  async ask(): Promise<boolean> {
    const name = `Petition ${++this.asked}`;
    const began = Date.now();
    const url = `${this.address}/${this.tenant}/api/v1/divisions`;
    const headers = { Authorization: `Bearer ${this.token}` };
    const answer: Answer | Error = await send('POST', url, { body: { name }, headers }).catch(
      (error: Error) => error,
    );
    if (answer instanceof Error || (answer.status !== 201 && !isClosed(answer))) {
      const what = answer instanceof Error ? answer : `${answer.status} ${JSON.stringify(answer.body)}`;
      if (!this.outages.excuses(began)) throw new Error(`A write to ${this.tenant}: ${what}`);
      this.unknown.push(name);
      await this.outages.over();
      return false;
    }
    (answer.status === 201 ? this.accepted : this.refused).push(name);
    return answer.status === 201;
  }

  /** Accepted divisions exist, refused ones do not. */
  async expectKept(api: ApiClient): Promise<void> {
    const names = new Set<string>();
    for (let pageIndex = 0, more = true; more; pageIndex++) {
      const { rows, hasMore } = await api.data('GET', `divisions?pageSize=200&pageIndex=${pageIndex}`);
      for (const { name } of rows as Json[]) names.add(name);
      more = hasMore;
    }
    expect(this.accepted.filter((name) => !names.has(name))).toEqual([]);
    expect(this.refused.filter((name) => names.has(name))).toEqual([]);
  }
}

function isClosed({ status, headers, body }: Answer): boolean {
  return status === 503 && body?.code === 'promotion_in_progress' && Number(headers.get('retry-after')) > 0;
}
