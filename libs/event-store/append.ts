import { Injectable } from '@nestjs/common';
import { DatabaseError } from 'pg';
import { DomainError } from '#kernel/errors';
import { WriteDatabase } from '#platform/database';
import { nameClaim, streamClaim, tenantClaim } from './claims';
import { type Claims, Coalescer } from './coalescer';
import { type Position, parsePosition } from './position';
import { AppendSignal } from './signal';

const SECTIONS = [
  'streams',
  'events',
  'guards',
  'unlinked',
  'links',
  'keys',
  'counters',
  'repeats',
  'subjects',
] as const;
export type Section = (typeof SECTIONS)[number];

/** One command's changes, all or none of which are appended; elements as in `event_store.append`, without c and tenant. */
export interface AppendJob {
  tenantId: number;
  partition: number;
  sections: Partial<Record<Section, Record<string, unknown>[]>>;
}

type ClaimedJob = AppendJob & { claims: Claims };

/** Why a command was refused. */
export type Verdict = 'repeated' | 'version' | 'guard' | 'linked' | 'taken' | 'counter';

/** What the decision relied on is no longer so (or the command was already carried out: `repeated`). */
export class AppendRefused extends Error {
  constructor(
    readonly verdict: Verdict,
    readonly detail: string | null,
  ) {
    super(`Append refused: ${verdict} ${detail ?? ''}`);
  }
}

/** What an append needs to itself (written) and what it may share (relied on). */
function claimsOf(job: AppendJob): Claims {
  const { tenantId, sections } = job;
  const written = (sections.streams ?? []).map((stream) => streamClaim(stream.stream as string));
  return {
    exclusive: [
      ...written,
      ...(sections.keys ?? []).map((key) =>
        nameClaim('key', tenantId, key.kind as string, key.key as string),
      ),
      ...(sections.counters ?? []).map((counter) => nameClaim('counter', tenantId, counter.name as string)),
      ...(sections.repeats ?? []).map((repeat) =>
        nameClaim('repeat', tenantId, repeat.integration as string, repeat.key as string),
      ),
    ],
    shared: [
      tenantClaim(tenantId),
      ...(sections.guards ?? [])
        .map((guard) => streamClaim(guard.stream as string))
        .filter((claim) => !written.includes(claim)),
    ],
  };
}

const UNKNOWN_OUTCOME = 'The event store could not be reached; whether the change was made is not known.';

/** Appends commands. Those of one process that arrive together are one round trip and one transaction. */
@Injectable()
export class Appender {
  private readonly coalescer: Coalescer<ClaimedJob, Position>;

  constructor(
    private readonly database: WriteDatabase,
    private readonly signal: AppendSignal,
  ) {
    this.coalescer = new Coalescer((jobs) => this.run(jobs), {
      lanes: 2,
      maxBatch: 256,
      claims: ({ claims }) => claims,
    });
  }

  /**
   * @returns where the command's last event stands, after commit
   * @throws AppendRefused, or DomainError `unavailable` when the store does not answer
   */
  append(job: AppendJob): Promise<Position> {
    return this.coalescer.submit({ ...job, claims: claimsOf(job) });
  }

  private async run(jobs: ClaimedJob[]): Promise<(Position | Error)[]> {
    try {
      return await this.send(jobs);
    } catch (error) {
      if (!(error instanceof DatabaseError) || isOutage(error)) {
        return jobs.map(
          () =>
            new DomainError('unavailable', 'store_unavailable', UNKNOWN_OUTCOME, [], { 'Retry-After': '1' }),
        );
      }
      // Something in the batch cannot be stored: each by itself, so that it fails alone.
      if (jobs.length === 1) return [unstorable(error)];
      const results: (Position | Error)[] = [];
      for (const job of jobs) results.push(...(await this.run([job])));
      return results;
    }
  }

  private async send(jobs: ClaimedJob[]): Promise<(Position | Error)[]> {
    const locks = new Map<bigint, boolean>();
    for (const { claims } of jobs) {
      for (const claim of claims.shared) if (!locks.has(claim)) locks.set(claim, false);
      for (const claim of claims.exclusive) locks.set(claim, true);
    }
    const sorted = [...locks].sort(([a], [b]) => (a < b ? -1 : 1));
    const sections = SECTIONS.map((name) => {
      const elements = jobs.flatMap((job, c) =>
        (job.sections[name] ?? []).map((element) => ({
          c,
          tenant: job.tenantId,
          partition: job.partition,
          ...element,
        })),
      );
      return elements.length > 0 ? JSON.stringify(elements) : null;
    });
    const { rows } = await this.database.pool.query<{
      command: number;
      verdict: Verdict | 'appended';
      detail: string;
    }>({
      name: 'event_store.append',
      text: 'select * from event_store.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
      values: [sorted.map(([key]) => key), sorted.map(([, exclusive]) => exclusive), ...sections],
    });
    const partitions = new Set<number>();
    const results: (Position | Error)[] = new Array(jobs.length);
    for (const { command, verdict, detail } of rows) {
      const known = results[command];
      if (verdict === 'appended') {
        const at = parsePosition(detail);
        if (!known || (!(known instanceof Error) && known.position < at.position)) results[command] = at;
        partitions.add(jobs[command].partition);
      } else if (!(known instanceof AppendRefused) || verdict === 'repeated') {
        results[command] = new AppendRefused(verdict, detail);
      }
    }
    this.signal.appended(partitions);
    return results;
  }
}

/** Connection lost, server stopping or out of resources (SQLSTATE classes 08, 53, 57, 58). */
function isOutage(error: DatabaseError): boolean {
  return /^(08|53|57|58)/.test(error.code ?? '');
}

function unstorable(error: DatabaseError): Error {
  // 22P05: untranslatable character (NUL); 22P02: invalid text in JSON (a lone surrogate).
  if (error.code === '22P05' || error.code === '22P02') {
    return new DomainError('invalid', 'invalid_text', 'Text holds a character that cannot be stored.');
  }
  return error;
}
