import { Injectable } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { Codec } from '#event-store/codec';
import { lockTenant } from '#event-store/locks';
import { storedJson } from '#event-store/stored-json';
import { SubjectKeys } from '#event-store/subject-keys';
import { toId } from '#kernel/ids';
import { WriteDatabase } from '#platform/database';
import { type Audited, StreamAudit } from './stream-audit';
import { unfounded } from './stream-claims';
import { type Clashes, clashesAmong } from './stream-clashes';
import { StreamFindings, type StreamReport } from './stream-findings';
import { type AuditedTenant, StreamPages, type Unfounded } from './stream-pages';
import { type Refolded, StreamRefold } from './stream-refold';
import { type StreamRow, StreamRows } from './stream-rows';

/** The result of a rebuild. The findings are what could not be repaired. */
export interface StreamsRebuilt extends StreamReport {
  streams: number;
  /** Number of streams of which the state, a link or a reservation was written. */
  written: number;
  /** Number of links, reservations and states that do not result from any event. */
  removed: number;
}

const FIRST_CHUNK = 50;
/** Target duration of a chunk: it blocks the tenant's appends, and every reader of the feed once it writes. */
const CHUNK_MS = 200;

/** Rewrites from the events what the store derives from them: states, links and reservations. */
@Injectable()
export class StreamRebuild {
  constructor(
    private readonly database: WriteDatabase,
    private readonly codec: Codec,
    private readonly keys: SubjectKeys,
    private readonly pages: StreamPages,
    private readonly refolds: StreamRefold,
    private readonly audits: StreamAudit,
  ) {}

  /**
   * Repairs the streams of one tenant, or of all, while they are written to. Appends of a tenant wait for one chunk at
   * most. Streams with damaged events, or with a natural key that another stream also claims, are left unchanged.
   * @throws DomainError tenant_not_found
   */
  async rebuild(alias?: string): Promise<StreamsRebuilt> {
    const client = await this.database.session();
    const findings = new StreamFindings();
    const done = { streams: 0, written: 0, removed: 0 };
    try {
      for await (const tenant of this.pages.tenants(client, alias)) {
        const clashes = await clashesAmong(client, this.pages.streams(client, tenant.id));
        for await (const page of this.pages.unfounded(client, tenant.id)) {
          done.removed += await this.unclaim(client, tenant, page, clashes);
        }
        for await (const page of this.pages.streams(client, tenant.id)) {
          done.streams += page.length;
          for (const audited of page) findings.add(tenant, audited, phrases(audited, clashes));
          const wrong = page.filter((one) => isWrong(one) && !clashes.has(one.stream.streamId));
          for await (const mended of this.inChunks(client, tenant, wrong, findings)) {
            done.written += mended.written;
            done.removed += mended.removed;
          }
        }
      }
    } finally {
      await client.end();
    }
    return { ...done, ...findings.report() };
  }

  private unclaim(
    client: ClientBase,
    { id }: AuditedTenant,
    page: Unfounded,
    clashes: Clashes,
  ): Promise<number> {
    return this.alone(client, id, async (rows) => {
      const streams = page.streams.filter(({ streamId }) => !clashes.has(streamId));
      // Events that were appended meanwhile may justify the link or reservation.
      await this.refolds.extend(client, id, streams);
      return rows.unclaim(unfounded(page, streams));
    });
  }

  private async *inChunks(
    client: ClientBase,
    tenant: AuditedTenant,
    wrong: Audited[],
    findings: StreamFindings,
  ): AsyncGenerator<{ written: number; removed: number }> {
    for (let size = FIRST_CHUNK, from = 0; from < wrong.length; ) {
      const chunk = wrong.slice(from, from + size);
      const began = performance.now();
      yield await this.mend(
        client,
        tenant,
        chunk.map(({ stream }) => stream),
        findings,
      );
      from += chunk.length;
      size = Math.max(1, Math.floor((chunk.length * CHUNK_MS) / (performance.now() - began)));
    }
  }

  private mend(
    client: ClientBase,
    tenant: AuditedTenant,
    streams: Refolded[],
    findings: StreamFindings,
  ): Promise<{ written: number; removed: number }> {
    return this.alone(client, tenant.id, async (rows) => {
      // Events that were appended meanwhile are folded in. Streams that these appends repaired are left alone.
      await this.refolds.extend(client, tenant.id, streams);
      const audited = await this.audits.audit(client, tenant.id, streams);
      const wrong = audited.filter(isWrong);
      const hopeless = wrong.filter(isHopeless);
      for (const audited of hopeless) findings.add(tenant, audited, audited.differences);
      const mended = wrong.filter((stream) => !isHopeless(stream));
      const differing = mended.filter(({ rowDiffers }) => rowDiffers);
      await rows.write(differing.filter(({ stream }) => stream.folded).map((one) => this.row(one)));
      const gone = differing.filter(({ stream }) => !stream.folded).map(({ stream }) => stream.streamId);
      const removed = await rows.remove(gone);
      await rows.claim({
        links: mended.flatMap(({ missing }) => missing.links),
        keys: mended.flatMap(({ missing }) => missing.keys),
      });
      return { written: mended.length - gone.length, removed };
    });
  }

  private row({ stream, wrapped }: Audited): StreamRow {
    const { streamId } = stream;
    const [definition, folded] = [stream.definition!, stream.folded!];
    const key = wrapped ? this.keys.unwrap(wrapped) : undefined;
    const state = this.codec.encodeState(definition, streamId, key, folded);
    return {
      streamId,
      kind: definition.kind,
      version: folded.version,
      state: storedJson(state),
      stateVersion: definition.foldVersion,
    };
  }

  /**
   * Runs work in a transaction during which nobody else writes to the tenant. If it fails, its transaction ends with
   * the session.
   */
  private async alone<Result>(
    client: ClientBase,
    tenantId: number,
    work: (rows: StreamRows) => Promise<Result>,
  ): Promise<Result> {
    await client.query('begin');
    await lockTenant(client, tenantId);
    const result = await work(new StreamRows(client, tenantId));
    await client.query('commit');
    return result;
  }
}

function isWrong({ differences, outdated }: Audited): boolean {
  return differences.length > 0 || outdated;
}

/** Whether a stream cannot be repaired: its events are damaged, or another stream took its natural key meanwhile. */
function isHopeless({ stream, missing }: Audited): boolean {
  return stream.fault !== undefined || missing.keys.some(({ holder }) => holder !== null);
}

function phrases({ stream, kind }: Audited, clashes: Clashes): string[] {
  return (clashes.get(stream.streamId) ?? []).map((clash) => {
    const ids = clash.others.map((other) => toId(kind, other));
    return `its ${clash.kind} is claimed by ${ids.join(', ')} too`;
  });
}
