import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { comparePositions, earliest, type Position, parsePosition } from '#event-store/position';
import { pauseBetweenLooks } from '#kernel/looks';
import { WriteDatabase } from '#platform/database';
import { logTrouble } from '#platform/database/trouble-log';
import type { RecordRow } from '#practice/records/record-list';
import { webhookView } from '../../endpoints/endpoint';
import { endpointsOf } from '../../endpoints/endpoints';
import { listOf } from '../../events/event-catalogue';
import type { Message } from '../../queue/delivery';
import { DeliverySettings } from '../delivery-settings';
import type { Item, Lane } from '../lanes/lane';
import { QueuePools } from '../queue-pools';
import { asRead, type RecordAsRead } from './record-as-read';
import { recordStatement, UNREAD } from './record-statement';

const LOOKS = { first: 4, last: 250 };

type Found = RecordRow & { reached: string[] };

/** A record as read, and what is known of how current it is. */
interface CachedRecord extends RecordAsRead {
  /** The position that every read model it is made from had reached. */
  reached: Position | undefined;
  /** By performance.now, when it was read. */
  at: number;
  /** Memo of `shows`: the position of the last event that the record was found to include. */
  shows?: string;
  /** Memo of `shows`: the position of the tenant's last erasure at that time. */
  erasedAt?: string | null;
}

/** Reads the current records of which the bodies of deliveries are made. */
@Injectable()
export class Rendering {
  private readonly log = new Logger(Rendering.name);
  /** Records that were read recently: several webhooks of a tenant are sent the same record within moments. */
  private readonly cache: LRUCache<string, CachedRecord>;

  constructor(
    private readonly pools: QueuePools,
    private readonly writes: WriteDatabase,
    private readonly settings: DeliverySettings,
  ) {
    this.cache = new LRUCache({
      max: 5_000,
      maxSize: 32 * 1024 * 1024,
      // Twice: the body made from the text is kept beside it.
      sizeCalculation: ({ text }) => 2 * (text?.length ?? 0) + 1,
    });
  }

  /**
   * Gives each delivery its record. One whose read model has not reached the event yet gets none, and a time to look
   * again.
   * @param begin is called with the lanes that have something ready, while more is read
   */
  async render(items: readonly Item[], begin: (lanes: Iterable<Lane>) => void): Promise<void> {
    const groups = new Map<string, Item[]>();
    for (const item of items) {
      if (item.lane.room <= 0) continue;
      if (item.lane.config.payload_mode === 'thin') {
        finish(item, { version: item.delivery.version, length: 0 });
        continue;
      }
      const cached = this.cached(item);
      if (cached) {
        finish(item, cached);
        continue;
      }
      item.isBeingRendered = true;
      const key = `${item.delivery.tenant_id}/${item.delivery.kind}`;
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
    await Promise.all([...groups.values()].map((group) => this.renderGroup(group, begin)));
  }

  /** The record, if it was read so recently that it can still be sent. */
  private cached({ delivery, lane }: Item): CachedRecord | undefined {
    const record = this.cache.get(keyOf(delivery));
    if (!record || performance.now() - record.at > this.settings.freshMs / 2) return undefined;
    return shows(record, delivery, lane.config.erased_at) ? record : undefined;
  }

  private async renderGroup(items: readonly Item[], begin: (lanes: Iterable<Lane>) => void): Promise<void> {
    const left = new Set(items);
    const end = (some: Iterable<Item>) => {
      for (const item of some) {
        item.isBeingRendered = false;
        left.delete(item);
      }
    };
    try {
      for (const part of partsOf(items, this.settings.atOnceChars)) {
        // Earlier parts may have been longer than expected. Deliveries without room now are rendered in a later round.
        const fitting = part.filter(({ lane }) => lane.room > 0);
        if (fitting.length > 0) await this.renderPart(fitting);
        end(part);
        begin(new Set(part.map(({ lane }) => lane)));
      }
    } catch (error) {
      this.putOff([...left], error as Error);
      end(left);
    }
  }

  private async renderPart(items: readonly Item[]): Promise<void> {
    const [{ delivery, lane }] = items;
    const ids = [...new Set(items.map((item) => item.delivery.subject))];
    const isNotice = delivery.kind === 'webhook';
    const most = Math.min(2 * this.settings.atOnceChars, Math.max(...items.map(({ lane }) => lane.room)));
    await (isNotice ? this.readWebhooks(delivery, ids) : this.readRecords(delivery, lane, ids, most));
    const now = performance.now();
    for (const item of items) {
      const record = this.cache.get(keyOf(item.delivery));
      // The records before it used up what one statement may read: a later round asks for it among fewer.
      if (!record) continue;
      // A webhook is read from the table it is written to, so it is never behind. Its version proves nothing: a webhook
      // that was registered again counts from 1.
      if (isNotice || shows(record, item.delivery, item.lane.config.erased_at)) finish(item, record);
      else {
        item.waitsSince ??= now;
        item.lookAt = now + pauseBetweenLooks(now - item.waitsSince, LOOKS);
      }
    }
  }

  /** Puts off deliveries whose records cannot be read, so that they do not hold up those of other kinds and tenants. */
  private putOff(items: readonly Item[], error: Error): void {
    const [{ kind, tenant_id }] = items.map(({ delivery }) => delivery);
    const line = `Deliveries of ${kind} of tenant ${tenant_id} cannot be rendered: ${error.message}`;
    logTrouble(this.log, line, error);
    const now = performance.now();
    for (const item of items) {
      item.waitsSince ??= now;
      item.lookAt = now + this.settings.pollMs;
    }
  }

  private async readRecords(
    { tenant_id, kind }: Message,
    { config }: Lane,
    ids: readonly string[],
    most: number,
  ): Promise<void> {
    const at = performance.now();
    const tenant = { id: tenant_id, partition: config.partition };
    const { rows } = await this.pools.records.query<Found>(recordStatement(kind, tenant, ids, most));
    const reached = earliest(rows[0].reached.map(parsePosition));
    const list = listOf(kind);
    // The alias is not part of a tenant's stream.
    const own = kind === 'tenant' ? { alias: config.alias } : {};
    const found = new Map(rows.filter(({ id }) => id !== null).map((row) => [row.id, row]));
    for (const subject of ids) {
      const row = found.get(subject);
      const key = keyOf({ tenant_id, kind, subject });
      if (row && Object.values(row).includes(UNREAD)) {
        this.cache.delete(key);
        continue;
      }
      const json = row ? JSON.stringify({ ...list.view(row), ...own }) : 'null';
      this.cache.set(key, { version: row?.version ?? 0, ...asRead(json), reached, at });
    }
  }

  /** Reads webhooks. The message about a webhook that was removed has no record. */
  private async readWebhooks({ tenant_id, kind }: Message, ids: readonly string[]): Promise<void> {
    const at = performance.now();
    const gone = { version: 0, ...asRead('null'), reached: undefined, at };
    for (const subject of ids) this.cache.set(keyOf({ tenant_id, kind, subject }), gone);
    for (const row of await endpointsOf(this.writes.pool, tenant_id)) {
      const json = JSON.stringify(webhookView(row));
      const key = keyOf({ tenant_id, kind, subject: row.id });
      this.cache.set(key, { version: row.version, ...asRead(json), reached: undefined, at });
    }
  }
}

function keyOf({ tenant_id, kind, subject }: Pick<Message, 'tenant_id' | 'kind' | 'subject'>): string {
  return `${tenant_id}/${kind}/${subject}`;
}

/**
 * Whether a record was read after both the event and the tenant's last erasure: an event may be sent again long after
 * it happened.
 */
function shows(record: CachedRecord, { at, version }: Message, erasedAt: string | null): boolean {
  if (at === null) return record.version === 0 || record.version >= version;
  if (record.shows === at && record.erasedAt === erasedAt) return true;
  if (!isPast(record, at) || (erasedAt && !isPast(record, erasedAt))) return false;
  record.shows = at;
  record.erasedAt = erasedAt;
  return true;
}

function isPast({ reached }: CachedRecord, at: string): boolean {
  return reached !== undefined && comparePositions(reached, parsePosition(at)) >= 0;
}

/**
 * Splits deliveries into parts of about `most` characters, read one after another. Deliveries of one record stay
 * together.
 */
function* partsOf(items: readonly Item[], most: number): Iterable<Item[]> {
  const bySubject = new Map<string, Item[]>();
  for (const item of items) {
    const { subject } = item.delivery;
    const some = bySubject.get(subject);
    if (some) some.push(item);
    else bySubject.set(subject, [item]);
  }
  let part: Item[] = [];
  let length = 0;
  for (const some of bySubject.values()) {
    const expected = Math.max(...some.map(({ lane }) => lane.expected));
    if (part.length > 0 && length + expected > most) {
      yield part;
      part = [];
      length = 0;
    }
    part.push(...some);
    length += expected;
  }
  yield part;
}

function finish(item: Item, record: RecordAsRead): void {
  item.record = record;
  item.renderedAt = performance.now();
  item.waitsSince = undefined;
  item.lookAt = 0;
  item.lane.took(record);
}
