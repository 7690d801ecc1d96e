import type { ReservedKey, StreamLink } from '#event-store/append/append-job';
import { type Kind, toId } from '#kernel/ids';
import { streamOf } from './stream-claims';
import type { AuditedTenant, Unfounded } from './stream-pages';
import type { Refolded } from './stream-refold';

/** A difference from what the events result in. Contains no personal or other data of records. */
export interface StreamFinding {
  /** Alias of the tenant; its number if it is not registered. */
  tenant: string;
  /** Prefixed id; the bare UUID if the stream has no events. */
  stream: string;
  what: string;
}

export interface StreamReport {
  /** Number of findings. */
  differences: number;
  /** The first hundred findings. */
  findings: StreamFinding[];
}

/** A stream, and its kind if known. */
interface FoundIn {
  stream: Pick<Refolded, 'streamId'>;
  kind?: Kind;
}

const SHOWN = 100;

/** Counts the findings and keeps the first hundred. */
export class StreamFindings {
  private count = 0;
  private readonly first: StreamFinding[] = [];

  add(tenant: AuditedTenant, { stream, kind }: FoundIn, whats: readonly string[]): void {
    this.count += whats.length;
    for (const what of whats.slice(0, SHOWN - this.first.length)) {
      const id = kind ? toId(kind, stream.streamId) : stream.streamId;
      this.first.push({ tenant: tenant.alias ?? String(tenant.id), stream: id, what });
    }
  }

  addUnfounded(tenant: AuditedTenant, { links, keys, streams }: Unfounded): void {
    for (const stream of streams) {
      const isOwn = (row: StreamLink | ReservedKey) => streamOf(row) === stream.streamId;
      this.add(tenant, { stream, kind: stream.definition?.kind }, [
        ...links.filter(isOwn).map(({ kind }) => `no event gives it its link ${kind}`),
        ...keys.filter(isOwn).map(({ kind }) => `no event gives it the ${kind} that is reserved for it`),
      ]);
    }
  }

  report(): StreamReport {
    return { differences: this.count, findings: this.first };
  }
}
