import { setTimeout as delay } from 'node:timers/promises';
import type { TenantRef } from '#platform/request-context';
import type { Outcome } from '../protocol/sender';

export interface Sent {
  url: string;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of any message
  body: any;
}

/** Stands for all receivers: answers by a script, and remembers what was sent. */
export class ScriptedSender {
  readonly sent: Sent[] = [];
  underWay = 0;
  mostUnderWay = 0;

  constructor(
    private readonly answer: (sent: Sent, count: number) => Partial<Outcome> | Promise<Partial<Outcome>>,
  ) {}

  async send(url: string, headers: Record<string, string>, body: string | Buffer): Promise<Outcome> {
    const sent = { url, headers, body: JSON.parse(String(body)) };
    this.sent.push(sent);
    this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay);
    try {
      await delay(0);
      return { milliseconds: 1, ...(await this.answer(sent, this.sent.length)) };
    } finally {
      this.underWay--;
    }
  }

  /** @param tenant counts only its deliveries: those that failed in an earlier test are tried again meanwhile */
  to(url: string, tenant?: TenantRef): Sent[] {
    const isAsked = ({ headers }: Sent) => !tenant || headers['X-PE2-TENANT-ALIAS'] === tenant.alias;
    return this.sent.filter((each) => each.url === url && isAsked(each));
  }
}
