import type { ClientBase } from 'pg';

/**
 * The fault of a block: its number is missing, its row was altered after sealing, or it does not begin where the block
 * before it ends.
 */
export type BlockFault = 'block_missing' | 'block_altered' | 'block_unchained';

/** The state of a tenant's chain of seals, judged without its events. */
export interface SealChain {
  blocks: number;
  /** Events in all blocks. */
  sealed: number;
  /** The first faulty block. */
  fault: { kind: BlockFault; block: number } | null;
  /** Number of blocks, from the first, that are certain to be unaltered. */
  trusted: number;
}

const CHAIN_QUERY = `
  with blocks as (
    select s.events, row_number() over chain as block,
      case
        when s.number <> row_number() over chain then 'block_missing'
        when s.seal <> event_store.seal_of(s) then 'block_altered'
        when s.previous <> coalesce(lag(s.seal) over chain, '')
          or s.after <> coalesce(lag(s.up_to) over chain, '(0,0,0)')
          then 'block_unchained'
      end as fault
    from event_store.seals s where s.tenant_id = $1
    window chain as (order by s.number)
  )
  select count(*)::integer as blocks, coalesce(sum(events), 0)::float8 as sealed,
    (select jsonb_build_object('kind', fault, 'block', block) from blocks
     where fault is not null order by block limit 1) as fault
  from blocks`;

/** Reads a tenant's chain and recomputes every seal. */
export async function readChain(client: ClientBase, tenantId: number): Promise<SealChain> {
  const { rows } = await client.query<Omit<SealChain, 'trusted'>>(CHAIN_QUERY, [tenantId]);
  const [chain] = rows;
  return { ...chain, trusted: trusted(chain) };
}

function trusted({ blocks, fault }: Omit<SealChain, 'trusted'>): number {
  if (!fault) return blocks;
  // When two adjacent blocks do not fit together, either can be the wrong one.
  return Math.max(0, fault.block - (fault.kind === 'block_unchained' ? 2 : 1));
}
