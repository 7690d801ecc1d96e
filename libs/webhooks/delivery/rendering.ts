import { Injectable } from '@nestjs/common';
import { comparePositions, parsePosition } from '#event-store/position';
import { ReadDatabase, WriteDatabase } from '#platform/database';
import type { RecordRow } from '#practice/records/record-list';
import { messageId, recordId, requestId } from '../delivery';
import { webhookView } from '../endpoint';
import { endpointsOf } from '../endpoints';
import { listOf } from '../event-catalogue';
import type { Item } from './lane';
import { recordStatement } from './record-statement';

const MOST_BYTES = 256 * 1024;
const FIRST_LOOK_MS = 4;
const LAST_LOOK_MS = 250;

type Found = RecordRow & { reached: string[] };

/** What is known of a record: as it is, or that it cannot be told yet. */
type Told = { version: number; record: object | null } | 'not yet';

/** Makes the bodies of deliveries, each from its record as it is now. */
@Injectable()
export class Rendering {
  constructor(
    private readonly reads: ReadDatabase,
    private readonly writes: WriteDatabase,
  ) {}

  /** Gives each a body, but for those whose read models have not come as far as the event: they wait a moment. */
  async render(items: readonly Item[]): Promise<void> {
    const groups = new Map<string, Item[]>();
    for (const item of items) {
      const { lane, delivery } = item;
      const isThin = lane.config.payload_mode === 'thin';
      const key = isThin ? 'thin' : `${delivery.tenant_id}/${delivery.kind}`;
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
    await Promise.all([...groups].map(([key, group]) => this.renderGroup(key === 'thin', group)));
  }

  private async renderGroup(isThin: boolean, items: readonly Item[]): Promise<void> {
    const tell = isThin ? () => ({ version: 0, record: null }) : await this.tellerOf(items);
    const at = performance.now();
    for (const item of items) {
      const told: Told = isThin ? { version: item.delivery.version, record: null } : tell(item);
      if (told === 'not yet') {
        item.lookAt = at + Math.min(LAST_LOOK_MS, FIRST_LOOK_MS * 2 ** item.looks++);
        continue;
      }
      item.body = bodyOf(item, told.version, isThin ? undefined : told.record);
      item.renderedAt = at;
    }
  }

  private async tellerOf(items: readonly Item[]): Promise<(item: Item) => Told> {
    const [{ delivery, lane }] = items;
    const { kind, tenant_id } = delivery;
    const ids = [...new Set(items.map((item) => item.delivery.subject))];
    if (kind === 'webhook') {
      const rows = await endpointsOf(this.writes.pool, tenant_id);
      const views = new Map(rows.map((row) => [row.id, webhookView(row)]));
      return (item) => {
        const record = views.get(item.delivery.subject) ?? null;
        return { version: record?.version ?? item.delivery.version, record };
      };
    }
    const tenant = { id: tenant_id, partition: lane.config.partition };
    const { rows } = await this.reads.pool.query<Found>(recordStatement(kind, tenant, ids));
    const reached = rows[0].reached.map(parsePosition);
    const list = listOf(kind);
    const known = new Map(rows.filter(({ id }) => id !== null).map((row) => [row.id, row]));
    return (item) => {
      const { at, subject, version } = item.delivery;
      const position = at === null ? undefined : parsePosition(at);
      if (position && reached.some((each) => comparePositions(each, position) < 0)) return 'not yet';
      const row = known.get(subject);
      return { version: row?.version ?? version, record: row ? list.view(row) : null };
    };
  }
}

/** @param record absent in thin mode */
function bodyOf({ delivery, lane }: Item, version: number, record: object | null | undefined): string {
  const id = recordId(delivery);
  const body = {
    type: delivery.sent_as,
    timestamp: delivery.occurred_at.toISOString(),
    requestId: requestId(delivery),
    data: { id, ...(record !== undefined && { data: record }), sourceId: delivery.source },
    id: messageId(delivery.event_id),
    tenant: lane.config.alias,
    sequence: version,
    changed: delivery.changed,
  };
  const text = JSON.stringify(body);
  if (record === undefined || Buffer.byteLength(text) <= MOST_BYTES) return text;
  return JSON.stringify({ ...body, data: { id, sourceId: delivery.source }, truncated: true });
}
