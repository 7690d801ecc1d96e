import { tableOf } from '#practice/records/state-table';
import { live } from '#projections/live';
import type { Join } from '../columns/report';
import { TENANT } from './building';

type Table = Pick<Join, 'projection' | 'alias'>;

/** A projection's table under an alias. */
export function tableAs({ projection, alias }: Table): string {
  return `read_model.${tableOf(projection)} ${alias}`;
}

/** The condition that a row of the table belongs to the tenant and its live generation. */
export function liveOf({ projection, alias }: Table): string {
  return live(projection, alias, TENANT);
}

/** LEFT JOINs, each table restricted to the tenant and its live generation. */
export function joinClauses(joins: readonly Join[]): string {
  return joins.map((join) => `left join ${tableAs(join)} on ${liveOf(join)} and ${join.on}`).join('\n  ');
}

/**
 * The same joins for few rows, as a lookup by id for each row. With plain joins, PostgreSQL overestimates the number of
 * rows and joins the whole table.
 */
export function lookups(joins: readonly Join[]): string {
  return joins
    .map(
      (join) => `left join lateral (
    select * from ${tableAs(join)} where ${liveOf(join)} and ${join.on} offset 0
  ) ${join.alias} on true`,
    )
    .join('\n  ');
}
