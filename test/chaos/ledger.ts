import { comparePositions, fromToken, type Position, START, toToken } from '#event-store/position';
import type { Json } from '../support/client';

/** A record as its writer knows it from the last answer. */
export interface Known {
  tenant: string;
  area: string;
  id: string;
  version: number;
  /** The least that a read of the record must show. */
  view: Json;
}

/** An event and the position that the answer named for it. */
interface Stated {
  id: string;
  version: number;
  at: Position;
}

/** What the service has acknowledged to a tenant. */
class Promises {
  /** Numbers of records whose creation has begun, by area. A reader may see them before their writer has the answer. */
  readonly begun = new Map<string, number>();
  /** Numbers of records that were created at the last position or before it, by area. */
  readonly made = new Map<string, number>();
  last = START;
}

/** All requests and their acknowledgements. */
export class Ledger {
  readonly records = new Map<string, Known>();
  readonly stated: Stated[] = [];
  /** Idempotency keys of the writes that were acknowledged. */
  readonly keys = new Set<string>();
  /** Number of refused writes, by status. */
  readonly refused = new Map<number, number>();
  /** Number of writes that a client had to repeat to learn their outcome. */
  repeated = 0;
  /** Number of acknowledged events. */
  events = 0;
  private readonly promises = new Map<string, Promises>();

  /** The tenants that have written something. */
  get tenants(): string[] {
    return [...this.promises.keys()];
  }

  begin(tenant: string, area: string): void {
    count(this.of(tenant).begun, area);
  }

  /**
   * Records that a record's next version was acknowledged. The token is null for a repeated answer, which names no
   * position.
   */
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

  /** The position to wait for, and the least number of records of each area that a reader then sees. */
  least(tenant: string): { position: string; made: ReadonlyMap<string, number> } {
    const { last, made } = this.of(tenant);
    return { position: toToken(last), made: new Map(made) };
  }

  /** The greatest number of records of an area that a reader can see. */
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
