import { comparePositions, fromToken, type Position, START, toToken } from '#event-store/position';
import type { Json } from '../support/client';

/** A record as its writer knows it by the last answer. */
export interface Known {
  tenant: string;
  area: string;
  id: string;
  version: number;
  /** What a read must show, at least. */
  view: Json;
}

/** A write's event and where the answer said that it stands. */
interface Stated {
  id: string;
  version: number;
  at: Position;
}

/** What the service has promised to a tenant. */
class Promises {
  /** Records that somebody has begun to make, by area: a reader may see them before their writer has the answer. */
  readonly begun = new Map<string, number>();
  /** Records that stand at the last position or before it, by area. */
  readonly made = new Map<string, number>();
  last = START;
}

/** All that was asked and answered. */
export class Ledger {
  readonly records = new Map<string, Known>();
  readonly stated: Stated[] = [];
  /** Idempotency keys of the writes that were acknowledged. */
  readonly keys = new Set<string>();
  /** How many, by their status. */
  readonly refused = new Map<number, number>();
  /** Writes that a client had to repeat to know what became of them. */
  repeated = 0;
  /** Events that were acknowledged. */
  events = 0;
  private readonly promises = new Map<string, Promises>();

  /** Those whose writes are in it. */
  get tenants(): string[] {
    return [...this.promises.keys()];
  }

  begin(tenant: string, area: string): void {
    count(this.of(tenant).begun, area);
  }

  /** The record's next version was acknowledged; a repeated answer does not say where it stands. */
  acknowledge(known: Known, token: string | null): Known {
    const { tenant, area, id, version } = known;
    const before = this.records.get(id);
    this.events += version - (before?.version ?? 0);
    this.records.set(id, known);
    if (token !== null) {
      const at = fromToken(token);
      this.stated.push({ id, version, at });
      const promises = this.of(tenant);
      if (!before) count(promises.made, area);
      if (comparePositions(at, promises.last) > 0) promises.last = at;
    }
    return known;
  }

  refusal(status: number): void {
    count(this.refused, status);
  }

  /** How many records of each area a reader sees who waits for the position, at least. */
  least(tenant: string): { position: string; made: ReadonlyMap<string, number> } {
    const { last, made } = this.of(tenant);
    return { position: toToken(last), made: new Map(made) };
  }

  /** How many records of an area a reader can see. */
  most(tenant: string, area: string): number {
    return this.of(tenant).begun.get(area) ?? 0;
  }

  private of(tenant: string): Promises {
    let promises = this.promises.get(tenant);
    if (!promises) this.promises.set(tenant, (promises = new Promises()));
    return promises;
  }
}

function count<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
