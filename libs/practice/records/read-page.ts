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
  /** Whether another page follows. */
  hasMore: boolean;
  /** The positions of the read model, and of the last change of the last row, as printPosition formats them. */
  reached: string;
  lastChanged?: string;
  /** Number of records on all pages, if it was requested. */
  totalCount?: number;
}

/** A row of a page's statement. An empty page has one row, without an id. */
type PageRow = (RecordRow | { id: null }) & { reached: string; changed: string };

/** Whether a page's statements are few enough to be prepared. A plan for the largest tenant is good for every tenant. */
export function isPlannedOnce(list: AnyList, tenant: TenantRef, query: ListQuery): boolean {
  return isNamed(askedOf(list, tenant, query));
}

/**
 * Whether one statement returns everything on a page, and so needs no transaction to see one moment. A statement before it
 * that looks at the latest records only chooses it, and when it does not fill the page, its rows are not used.
 */
export function isOneStatement(list: AnyList, tenant: TenantRef, query: ListQuery): boolean {
  return !query.includeTotalCount && (!showsOthers(list) || isPlannedOnce(list, tenant, query));
}

/**
 * Reads a page in up to four small statements. A single statement would be planned as a whole each time, which takes longer
 * than executing it; only prepared statements also return what their rows show of other records.
 * @param ask executes all statements in one snapshot, unless the page is {@link isOneStatement one statement}
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

/** Adds to rows what they show of other records. */
async function addBeside(ask: Ask, list: AnyList, tenant: TenantRef, rows: RecordRow[]): Promise<void> {
  const statement = besideStatement(list, tenant.id, rows);
  if (!statement) return;
  const beside = new Map((await ask<{ id: string }>(statement)).map((one) => [one.id, one]));
  for (const row of rows) Object.assign(row, beside.get(row.id));
}
