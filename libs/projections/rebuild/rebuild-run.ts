import type { RegisteredTenant } from '#platform/auth/tenants';
import type { Projection } from '../projection';
import type { Unfinished } from './generations';

export interface Rebuilt {
  name: string;
  /** Alias; null: every tenant. */
  tenant: string | null;
  generation: number;
  /** Folded from the history; what came meanwhile is not counted. */
  events: number;
  milliseconds: number;
}

export interface RebuildProgress {
  phase: 'filling' | 'indexing' | 'catching up' | 'waiting for the database';
  /** Folded; counted for each read model that takes it. */
  events: number;
  /** Events to be folded; undefined until they are counted. */
  total?: number;
}

export interface RebuildOptions {
  /** Alias; default: every tenant. */
  tenant?: string;
  progress?(progress: RebuildProgress): void;
  /** Stops the rebuild; what it has done waits for whoever goes on with it. */
  signal?: AbortSignal;
}

/** One rebuild as its caller sees it, across lost connections: of one read model, or of several by the same reading. */
export class RebuildRun {
  /** The new generation of each projection, once the run was begun. */
  generations: readonly number[] = [];
  /** Folded. */
  events = 0;
  private total?: number;
  private readonly startedAt = Date.now();

  constructor(
    readonly projections: readonly Projection[],
    readonly tenant: RegisteredTenant | undefined,
    private readonly options: RebuildOptions,
    /** Whether it is what a held tenant waits for. */
    readonly isRenewal = false,
  ) {}

  get signal(): AbortSignal | undefined {
    return this.options.signal;
  }

  get stopped(): boolean {
    return this.signal?.aborted ?? false;
  }

  /** Whether anybody wants to know how far it is: to count the events takes as long as to read them. */
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

  /** What was rebuilt, of a run over one projection. */
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
