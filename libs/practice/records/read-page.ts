import type { ListQuery } from '#platform/http/input/list-query';
import type { TenantRef } from '#platform/request-context';
import { type Asked, isPlain } from './list-page';
import type { Usual } from './list-search';
import { type Ask, askedOf, countStatement, farStatement, isNamed, nearStatement } from './list-statements';
import type { AnyList, RecordRow } from './record-list';
import { besideStatement, showsOthers } from './record-statements';
import type { UsualWords } from './usual-words';

export interface FoundPage {
  rows: RecordRow[];
  /** Records follow on another page. */
  hasMore: boolean;
  /** Where the read model stood, and where the last row's last change stands, as printPosition has it. */
  reached: string;
  lastChanged?: string;
  /** Records on all pages together, when it was asked for. */
  totalCount?: number;
}

/** What a page's statement answers with: each row of the page, or one without an id when there is none. */
type PageRow = (RecordRow | { id: null }) & { reached: string; changed: string };

/** Whether a page's statements are of a few kinds, and good for every tenant when they are planned for the largest one. */
export function isPlannedOnce(list: AnyList, tenant: TenantRef, query: ListQuery): boolean {
  return isNamed(askedOf(list, tenant, query));
}

/**
 * Whether one statement tells all that is on a page, and so sees one moment by itself: what looks at the latest records
 * before it only chooses it, and rows that it leaves to be found otherwise are none of its own.
 */
export function isOneStatement(list: AnyList, tenant: TenantRef, query: ListQuery): boolean {
  return !query.includeTotalCount && (!showsOthers(list) || isPlannedOnce(list, tenant, query));
}

/**
 * Reads a page in up to four small statements. As one it would be planned whole each time, which takes longer than to
 * answer it; only what is planned once tells at once what its rows show of others.
 * @param ask answers all statements of one moment, unless the page is {@link isOneStatement one statement}
 */
export async function readPage(
  ask: Ask,
  list: AnyList,
  tenant: TenantRef,
  query: ListQuery,
  words: UsualWords,
): Promise<FoundPage> {
  const asked = askedOf(list, tenant, query);
  const usual = asked.words.length > 0 ? await words.of(asked, ask) : undefined;
  const found = await find(ask, asked, tenant, usual);
  const counted = query.includeTotalCount
    ? await ask<{ count: string }>(countStatement(asked, usual))
    : undefined;
  const all = found.filter(({ id }) => id !== null) as (RecordRow & PageRow)[];
  const rows = all.slice(0, asked.limit - 1);
  if (!isNamed(asked)) await addBeside(ask, list, tenant, rows);
  return {
    rows,
    hasMore: all.length === asked.limit,
    reached: found[0].reached,
    lastChanged: rows.at(-1)?.changed,
    totalCount: counted && Number(counted[0].count),
  };
}

async function find(ask: Ask, asked: Asked, tenant: TenantRef, usual?: Usual): Promise<PageRow[]> {
  if (usual === undefined || usual.common) {
    const near = await ask<PageRow>(nearStatement(asked, tenant));
    if (near.length === asked.limit || isPlain(asked)) return near;
  }
  return ask<PageRow>(farStatement(asked, tenant, usual));
}

/** Gives rows what they show of other records. */
async function addBeside(ask: Ask, list: AnyList, tenant: TenantRef, rows: RecordRow[]): Promise<void> {
  const statement = besideStatement(list, tenant.id, rows);
  if (!statement) return;
  const beside = new Map((await ask<{ id: string }>(statement)).map((one) => [one.id, one]));
  for (const row of rows) Object.assign(row, beside.get(row.id));
}
