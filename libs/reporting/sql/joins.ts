import { live } from '#projections/live';
import type { Join } from '../columns/report';
import { TENANT } from './building';

/** LEFT JOINs, each table restricted to the tenant and its live generation. */
export function joinClauses(joins: readonly Join[]): string {
  return joins
    .map(
      ({ alias, table, projection, on }) =>
        `left join read_model.${table} ${alias} on ${live(projection, alias, TENANT)} and ${on}`,
    )
    .join('\n  ');
}

/**
 * The same joins for few rows, as a lookup by id for each row. With plain joins, PostgreSQL overestimates the number of
 * rows and joins the whole table.
 */
export function lookups(joins: readonly Join[]): string {
  return joins
    .map(
      ({ alias, table, projection, on }) => `left join lateral (
    select * from read_model.${table} ${alias} where ${live(projection, alias, TENANT)} and ${on} offset 0
  ) ${alias} on true`,
    )
    .join('\n  ');
}
