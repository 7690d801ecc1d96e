import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { webhookId } from '../endpoints/endpoint';
import { ATTEMPTS, deliveryId, recordId } from '../queue/delivery';

const EVERY_MS = 500;
/** An attempt is stored some time after it began, and so attempts arrive out of order. */
const OVERLAP_MS = 30_000;

/** An attempt as an operator sees it, without anything of what was sent or answered. */
export interface Tailed {
  at: string;
  tenant: string;
  webhook: string;
  delivery: string;
  type: string;
  record: string;
  attempt: number;
  milliseconds: number;
  /** `delivered`, an HTTP status, or the name of an error. */
  result: string;
}

interface Row {
  at: Date;
  alias: string;
  webhook_id: string;
  event_id: string;
  sent_as: string;
  kind: string;
  subject: string;
  number: number;
  milliseconds: number;
  status: number | null;
  error: string | null;
}

/** Shows attempts as they happen. */
@Injectable()
export class DeliveryTail {
  constructor(
    private readonly database: WriteDatabase,
    private readonly clock: Clock,
  ) {}

  /** Yields the attempts of one tenant, or of all, from now until the signal is aborted. */
  async *follow(signal: AbortSignal, tenant?: string): AsyncGenerator<Tailed> {
    const began = this.clock.now();
    let seen = new Set<string>();
    while (!signal.aborted) {
      const since = new Date(Math.max(began.getTime(), this.clock.now().getTime() - OVERLAP_MS));
      const rows = await this.since(since, tenant);
      const keys = rows.map(({ webhook_id, event_id, number }) => `${webhook_id}/${event_id}/${number}`);
      for (const [index, row] of rows.entries()) if (!seen.has(keys[index])) yield tailed(row);
      seen = new Set(keys);
      await delay(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async since(since: Date, tenant: string | undefined): Promise<Row[]> {
    const { rows } = await this.database.pool.query<Row>(
      `select a.at, t.alias, a.webhook_id, a.event_id, d.sent_as, d.kind, d.subject, a.number, a.milliseconds,
         a.status, a.error
       from ${ATTEMPTS} a
       join webhooks.deliveries d on (d.tenant_id, d.webhook_id, d.event_id) = (a.tenant_id, a.webhook_id, a.event_id)
       join platform.tenants t on t.id = a.tenant_id
       where a.at >= $1 and ($2::text is null or t.alias = $2) order by a.at, a.event_id, a.number`,
      [since, tenant ?? null],
    );
    return rows;
  }
}

function tailed(row: Row): Tailed {
  return {
    at: row.at.toISOString(),
    tenant: row.alias,
    webhook: webhookId({ id: row.webhook_id }),
    delivery: deliveryId(row.event_id),
    type: row.sent_as,
    record: recordId(row),
    attempt: row.number,
    milliseconds: row.milliseconds,
    result: row.error === null ? 'delivered' : row.error === 'status' ? String(row.status) : row.error,
  };
}
