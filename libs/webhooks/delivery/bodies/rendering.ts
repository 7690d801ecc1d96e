import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { comparePositions, earliest, type Position, parsePosition } from '#event-store/position';
import { pauseBetweenLooks } from '#kernel/looks';
import { WriteDatabase } from '#platform/database';
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

/** A record as it was read. */
interface Told extends RecordAsRead {
  /** How far the read models had come that it is made of, all of them. */
  reached: Position | undefined;
  /** On performance.now. */
  at: number;
  /** Where an event stands that it was found to show. */
  shows?: string;
  /** Where the tenant's last erasure stood then. */
  erasedAt?: string | null;
}

/** Reads the records that the bodies of deliveries are made of, as they are now. */
@Injectable()
export class Rendering {
  private readonly log = new Logger(Rendering.name);
  /** What one webhook was just sent others are sent too. */
  private readonly told: LRUCache<string, Told>;

  constructor(
    private readonly pools: QueuePools,
    private readonly writes: WriteDatabase,
    private readonly settings: DeliverySettings,
  ) {
    this.told = new LRUCache({
      max: 5_000,
      maxSize: 32 * 1024 * 1024,
      // Its body is kept beside it.
      sizeCalculation: ({ text }) => 2 * (text?.length ?? 0) + 1,
    });
  }

  /**
   * Gives each its record, but for those whose read models have not come as far as the event: they wait a moment.
   * @param begin is told of the lanes of what is ready while more is read
   */
  async render(items: readonly Item[], begin: (lanes: Iterable<Lane>) => void): Promise<void> {
    const groups = new Map<string, Item[]>();
    for (const item of items) {
      if (item.lane.room <= 0) continue;
      if (item.lane.config.payload_mode === 'thin') {
        finish(item, { version: item.delivery.version, length: 0 });
        continue;
      }
      const known = this.known(item);
      if (known) {
        finish(item, known);
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

  /** What was read so lately that it need not be read again. */
  private known({ delivery, lane }: Item): Told | undefined {
    const told = this.told.get(keyOf(delivery));
    if (!told || performance.now() - told.at > this.settings.freshMs / 2) return undefined;
    return shows(told, delivery, lane.config.erased_at) ? told : undefined;
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
        // What came before may have been longer than was expected: what has no room any more is asked for again.
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
    await (isNotice ? this.tellWebhooks(delivery, ids) : this.tellRecords(delivery, lane, ids, most));
    const now = performance.now();
    for (const item of items) {
      const told = this.told.get(keyOf(item.delivery));
      // It is asked for again, among fewer.
      if (!told) continue;
      // A webhook is read where it is written, and one that was registered again counts its versions anew.
      if (isNotice || shows(told, item.delivery, item.lane.config.erased_at)) finish(item, told);
      else {
        item.waitsSince ??= now;
        item.lookAt = now + pauseBetweenLooks(now - item.waitsSince, LOOKS);
      }
    }
  }

  /** Records that cannot be read hold up none of other kinds and tenants. */
  private putOff(items: readonly Item[], error: Error): void {
    const [{ kind, tenant_id }] = items.map(({ delivery }) => delivery);
    this.log.error(`Deliveries of ${kind} of tenant ${tenant_id} cannot be made ready: ${error.message}`);
    const now = performance.now();
    for (const item of items) {
      item.waitsSince ??= now;
      item.lookAt = now + this.settings.pollMs;
    }
  }

  private async tellRecords(
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
    // A tenant's stream does not hold its alias.
    const own = kind === 'tenant' ? { alias: config.alias } : {};
    const found = new Map(rows.filter(({ id }) => id !== null).map((row) => [row.id, row]));
    for (const subject of ids) {
      const row = found.get(subject);
      const key = keyOf({ tenant_id, kind, subject });
      if (row && Object.values(row).includes(UNREAD)) {
        this.told.delete(key);
        continue;
      }
      const json = row ? JSON.stringify({ ...list.view(row), ...own }) : 'null';
      this.told.set(key, { version: row?.version ?? 0, ...asRead(json), reached, at });
    }
  }

  /** A webhook that is no more is told of without its record. */
  private async tellWebhooks({ tenant_id, kind }: Message, ids: readonly string[]): Promise<void> {
    const at = performance.now();
    const gone = { version: 0, ...asRead('null'), reached: undefined, at };
    for (const subject of ids) this.told.set(keyOf({ tenant_id, kind, subject }), gone);
    for (const row of await endpointsOf(this.writes.pool, tenant_id)) {
      const json = JSON.stringify(webhookView(row));
      const key = keyOf({ tenant_id, kind, subject: row.id });
      this.told.set(key, { version: row.version, ...asRead(json), reached: undefined, at });
    }
  }
}

function keyOf({ tenant_id, kind, subject }: Pick<Message, 'tenant_id' | 'kind' | 'subject'>): string {
  return `${tenant_id}/${kind}/${subject}`;
}

/** Whether what was read is of the event or later, and of the tenant's last erasure: an event may be sent again long after it was. */
function shows(told: Told, { at, version }: Message, erasedAt: string | null): boolean {
  if (at === null) return told.version === 0 || told.version >= version;
  if (told.shows === at && told.erasedAt === erasedAt) return true;
  if (!isPast(told, at) || (erasedAt && !isPast(told, erasedAt))) return false;
  told.shows = at;
  told.erasedAt = erasedAt;
  return true;
}

function isPast({ reached }: Told, at: string): boolean {
  return reached !== undefined && comparePositions(reached, parsePosition(at)) >= 0;
}

/** In parts that are read one after another, of so many characters: those that need the same record in the same. */
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
