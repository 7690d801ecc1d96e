import { Injectable } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { tenantNotFound } from '#platform/auth/tenants';
import { WriteDatabase } from '#platform/database';
import { type BlockFault, readChain } from './seal-chain';
import { compareEvents, type Difference, type SealedEvent } from './seal-comparison';
import type { SealHead } from './seals';

/** The fields of a kept seal that are needed to find it again. Seals that were kept long ago have only the alias. */
export type KeptSeal = Pick<SealHead, 'tenant' | 'number' | 'seal'> & Partial<Pick<SealHead, 'tenantId'>>;

export interface SealProblem {
  kind: Difference['kind'] | BlockFault | 'kept_seal_missing' | 'tenant_unknown';
  block: number | null;
  event: SealedEvent | null;
  /** A sentence for human readers. */
  message: string;
}

/** The result of verifying a tenant's seals. */
export interface TenantProof {
  /** The tenant's alias; `#` and its number if it is not registered. */
  tenant: string;
  blocks: number;
  /** Number of events with a seal. */
  sealed: number;
  /** Number of events that were written after the last sealing. */
  unsealed: number;
  unsealedSince: Date | null;
  /** The first difference, in feed order, from what was sealed. */
  problem: SealProblem | null;
}

interface KnownTenant {
  id: number;
  alias: string | null;
  reached: string | null;
}

/**
 * All tenants with events or seals, registered or not, and the position up to which the tenant's partition is sealed.
 */
const TENANTS_QUERY = `
  with recursive writers(id) as (
    (select min(tenant_id) from event_store.events)
    union all
    select (select min(e.tenant_id) from event_store.events e where e.tenant_id > w.id)
    from writers w where w.id is not null
  )
  select id, t.alias, c.reached::text
  from (
    select id from platform.tenants union select id from writers union select tenant_id from event_store.seals
  ) known(id)
  left join platform.tenants t using (id)
  left join event_store.seal_checkpoints c using (partition)
  where id is not null and ($1::text is null or t.alias = $1)
  order by t.alias, id`;

/** Verifies that the events are unchanged since they were sealed. */
@Injectable()
export class SealVerification {
  constructor(private readonly database: WriteDatabase) {}

  /**
   * Recomputes all digests and seals in one snapshot of the store. This may take minutes, but blocks nobody.
   * @param tenant alias of the only tenant to verify
   * @param kept seals that were kept elsewhere: each chain must still contain its own
   * @throws DomainError tenant_not_found
   */
  async verify(tenant?: string, kept: readonly KeptSeal[] = []): Promise<TenantProof[]> {
    const session = await this.database.session();
    try {
      await session.query('begin isolation level repeatable read read only');
      const { rows } = await session.query<KnownTenant>(TENANTS_QUERY, [tenant]);
      if (tenant !== undefined && rows.length === 0) throw tenantNotFound(tenant);
      const proofs: TenantProof[] = [];
      for (const known of rows) {
        const own = kept.filter((seal) => isOf(known, seal));
        proofs.push(await prove(session, known, own));
      }
      const gone = kept.filter((seal) => tenant === undefined && !rows.some((known) => isOf(known, seal)));
      return [...proofs, ...gone.map(proofOfNobody)];
    } finally {
      await session.end();
    }
  }
}

function isOf({ id, alias }: KnownTenant, { tenantId, tenant }: KeptSeal): boolean {
  return tenantId === undefined ? tenant === alias : tenantId === id;
}

async function prove(
  client: ClientBase,
  known: KnownTenant,
  kept: readonly KeptSeal[],
): Promise<TenantProof> {
  const chain = await readChain(client, known.id);
  const { first, unsealed, unsealedSince } = await compareEvents(client, known.id, chain, known.reached);
  const { blocks, sealed, fault } = chain;
  return {
    tenant: known.alias ?? `#${known.id}`,
    blocks,
    sealed,
    unsealed,
    unsealedSince,
    problem:
      (first && eventProblem(first)) ??
      (fault && blockProblem(fault)) ??
      (await keptProblem(client, known.id, kept, blocks)) ??
      (known.alias === null ? TENANT_UNKNOWN : null),
  };
}

const TENANT_UNKNOWN: SealProblem = {
  kind: 'tenant_unknown',
  block: null,
  event: null,
  message: 'Events were inserted for a tenant that is not registered, or its registration was removed.',
};

function eventProblem({ kind, block, event }: Difference): SealProblem {
  const { streamId, version, position, eventId, type } = event;
  const details = [
    type,
    eventId && `id ${eventId}`,
    position && `position ${position}`,
    block && `sealed in block ${block}`,
  ];
  const named = `Version ${version} of stream ${streamId} (${details.filter(Boolean).join(', ')})`;
  const messages: Record<Difference['kind'], string> = {
    changed: `${named} was changed.`,
    removed: `${named} was removed.`,
    inserted: `${named} was inserted: it stands among sealed events, and no seal has it.`,
    unsealed: `${named} was passed by sealing, but no seal has it: it was inserted, or the last seals were removed.`,
  };
  return { kind, block, event, message: messages[kind] };
}

function blockProblem({ kind, block }: { kind: BlockFault; block: number }): SealProblem {
  const messages: Record<BlockFault, string> = {
    block_missing: `Block ${block} of the seals was removed.`,
    block_altered: `Block ${block} of the seals was altered.`,
    block_unchained: `Block ${block} of the seals does not follow the one before it: one of them was replaced.`,
  };
  return { kind, block, event: null, message: messages[kind] };
}

/** The problem of the earliest kept seal that the chain does not contain; null if it contains all. */
async function keptProblem(
  client: ClientBase,
  tenantId: number,
  kept: readonly KeptSeal[],
  blocks: number,
): Promise<SealProblem | null> {
  const { rows } = await client.query<{ block: number }>(
    `select k.number as block from unnest($2::integer[], $3::text[]) k(number, seal)
     where not exists (
       select from event_store.seals s
       where s.tenant_id = $1 and s.number = k.number and s.seal = decode(k.seal, 'hex'))
     order by 1 limit 1`,
    [tenantId, kept.map(({ number }) => number), kept.map(({ seal }) => seal)],
  );
  return rows.length === 0 ? null : keptSealMissing(rows[0].block, blocks);
}

/** @param blocks number of blocks that the chain has */
function keptSealMissing(block: number, blocks: number): SealProblem {
  const message =
    block > blocks
      ? `The kept seal of block ${block} is missing, as the chain has only ${blocks} blocks: an older backup was restored, ` +
        'or blocks were removed or written anew.'
      : `The kept seal of block ${block} is not in the chain: the block was written anew, perhaps after an older backup ` +
        'was restored.';
  return { kind: 'kept_seal_missing', block, event: null, message };
}

function proofOfNobody({ tenant, number }: KeptSeal): TenantProof {
  const nothing = { blocks: 0, sealed: 0, unsealed: 0, unsealedSince: null };
  return { tenant, ...nothing, problem: keptSealMissing(number, nothing.blocks) };
}
