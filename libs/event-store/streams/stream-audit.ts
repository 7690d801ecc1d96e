import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { Codec } from '#event-store/codec';
import type { Folded } from '#event-store/events';
import type { StateRow } from '#event-store/load';
import { type Kind, toId } from '#kernel/ids';
import { type Missing, missingOf } from './stream-claims';
import type { Refolded } from './stream-refold';

/** A refolded stream compared with what the store keeps of it. */
export interface Audited {
  stream: Refolded;
  /** The kind according to the stream's events, otherwise according to its stored row. */
  kind: Kind;
  /** Phrases that describe the differences, without any of the data. */
  differences: string[];
  /** An earlier fold version made the state: a load ignores it and refolds. */
  outdated: boolean;
  /** The row in streams must be rewritten, or removed if there are no events. */
  rowDiffers: boolean;
  missing: Missing;
  wrapped: Buffer | null;
}

/** A row of `event_store.streams` with the key of its personal fields. `kind` is null if there is no row. */
type StoredRow = StateRow & { kind: string | null; state_version: number };

const STORED = `
  select i.stream_id, s.kind, s.version, s.state, s.state_version, k.wrapped
  from unnest($2::uuid[]) as i(stream_id)
  left join lateral (
    select * from event_store.streams where tenant_id = $1 and stream_id = i.stream_id offset 0
  ) s on true
  left join lateral (
    select wrapped from event_store.subject_keys where tenant_id = $1 and subject = i.stream_id offset 0
  ) k on true`;

/** Compares what the store keeps of streams with the result of folding their events. */
@Injectable()
export class StreamAudit {
  constructor(private readonly codec: Codec) {}

  /**
   * @param client a client in the snapshot in which the streams were also folded, or with exclusive access to the
   * tenant
   */
  async audit(client: ClientBase, tenantId: number, streams: readonly Refolded[]): Promise<Audited[]> {
    const ids = streams.map(({ streamId }) => streamId);
    const { rows } = await client.query<StoredRow>(STORED, [tenantId, ids]);
    const stored = new Map(rows.map((row) => [row.stream_id, row]));
    const missing = await missingOf(client, tenantId, streams);
    return streams.map((stream) => {
      const row = stored.get(stream.streamId)!;
      const own = missing.get(stream.streamId)!;
      const differences = this.differences(stream, row);
      const outdated = row.kind !== null && row.state_version < (stream.definition?.foldVersion ?? 0);
      return {
        stream,
        kind: stream.definition?.kind ?? (row.kind as Kind),
        differences: [...differences, ...missingPhrases(stream, own)],
        outdated,
        rowDiffers: outdated || differences.length > 0,
        missing: own,
        wrapped: row.wrapped,
      };
    });
  }

  private differences({ definition, folded, fault }: Refolded, row: StoredRow): string[] {
    if (fault) return [fault];
    if (!definition || !folded) return [`it has no events, and is kept as ${row.kind}`];
    if (row.kind === null) return ['it has events, and no row in streams'];
    const found: string[] = [];
    if (row.kind !== definition.kind) found.push(`it is kept as ${row.kind}`);
    if (row.version !== folded.version)
      found.push(`it is kept at version ${row.version}, its events end at ${folded.version}`);
    if (row.state_version > definition.foldVersion)
      found.push(
        `its state is of fold version ${row.state_version}, this program's is ${definition.foldVersion}`,
      );
    else if (row.state_version === definition.foldVersion) found.push(...this.fields(folded, row));
    return found;
  }

  /** Compares decrypted fields, because encrypting the same values again gives other bytes. */
  private fields(folded: Folded, row: StoredRow): string[] {
    let kept: Folded;
    try {
      kept = this.codec.decodeState(this.codec.definitions.ofKind(row.kind!), row);
    } catch {
      return ['its state cannot be read'];
    }
    const names = [...differing(folded.audit, kept.audit), ...differing(folded.data, kept.data)];
    return names.length === 0 ? [] : [`its state differs in ${names.join(', ')}`];
  }
}

/** Names of the properties whose JSON differs. */
function differing(made: object, kept: object): string[] {
  const [a, b] = [made, kept].map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);
  return Object.keys({ ...a, ...b }).filter((name) => !isDeepStrictEqual(a[name], b[name]));
}

function missingPhrases({ definition }: Refolded, { links, keys }: Missing): string[] {
  return [
    ...links.map(({ kind }) => `its link ${kind} is missing`),
    ...keys.map(({ kind, holder }) =>
      holder
        ? `its ${kind} is reserved for ${toId(definition!.kind, holder)}`
        : `its ${kind} is not reserved`,
    ),
  ];
}
