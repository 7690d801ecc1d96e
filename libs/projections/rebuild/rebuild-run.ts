import type { RegisteredTenant } from '#platform/auth/tenants';
import type { Projection } from '../projection';
import type { Unfinished } from './generations';

export interface Rebuilt {
  name: string;
  /** Alias of the tenant; null: every tenant. */
  tenant: string | null;
  generation: number;
  /** Number of events folded from the history, without those that arrived meanwhile. */
  events: number;
  milliseconds: number;
}

export interface RebuildProgress {
  phase: 'filling' | 'indexing' | 'catching up' | 'waiting for the database';
  /** Number of folded events, counted once for each read model that uses them. */
  events: number;
  /** Number of events to fold; undefined until they are counted. */
  total?: number;
}

export interface RebuildOptions {
  /** Alias of a tenant; default: every tenant. */
  tenant?: string;
  progress?(progress: RebuildProgress): void;
  /** Stops the rebuild; what it has done is kept, so that a later run can resume it. */
  signal?: AbortSignal;
}

/**
 * One rebuild as its caller sees it, across lost connections: of one read model, or of several with one pass over the
 * history.
 */
export class RebuildRun {
  /** The new generation of each projection once the run has begun. */
  generations: readonly number[] = [];
  /** Number of folded events. */
  events = 0;
  private total?: number;
  private readonly startedAt = Date.now();

  constructor(
    readonly projections: readonly Projection[],
    readonly tenant: RegisteredTenant | undefined,
    private readonly options: RebuildOptions,
    /** Whether the run renews a held tenant. */
    readonly isRenewal = false,
  ) {}

  get signal(): AbortSignal | undefined {
    return this.options.signal;
  }

  get stopped(): boolean {
    return this.signal?.aborted ?? false;
  }

  /** Whether the caller wants progress reports: counting the events takes as long as reading them. */
  get isWatched(): boolean {
    return this.options.progress !== undefined;
  }

  /** 0: all tenants. */
  get tenantId(): number {
    return this.tenant?.id ?? 0;
  }

  goesOnWith({ version }: Projection, unfinished: Unfinished): boolean {
    return unfinished.tenantId === this.tenantId && unfinished.version === version;
  }

  begin(unfinished: readonly Unfinished[]): void {
    this.generations = unfinished.map(({ generation }) => generation);
    this.events = unfinished.reduce((sum, { events }) => sum + events, 0);
    this.total = undefined;
  }

  count(total: number): void {
    this.total = (this.total ?? 0) + total;
  }

  advance(events: number): void {
    this.events += events;
    this.report('filling');
  }

  stopIfAsked(): void {
    this.options.signal?.throwIfAborted();
  }

  report(phase: RebuildProgress['phase']): void {
    this.stopIfAsked();
    this.options.progress?.({ phase, events: this.events, total: this.total });
  }

  /** The result of a run for one projection. */
  result(): Rebuilt {
    return {
      name: this.projections[0].name,
      tenant: this.tenant?.alias ?? null,
      generation: this.generations[0],
      events: this.events,
      milliseconds: Date.now() - this.startedAt,
    };
  }
}
