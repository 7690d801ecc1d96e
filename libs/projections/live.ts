import { printPosition, START } from '#event-store/position';

/**
 * The condition that every table of every read carries: the reader's tenant and the projection's live generation.
 * @param projection as the projector names it, with dashes; a name from code, never from a request
 * @param alias the table's alias in the query
 * @param tenant the placeholder that binds the tenant's number, as `$1`
 */
export function live(projection: string, alias: string, tenant: string): string {
  return `${alias}.tenant_id = ${tenant} and ${alias}.generation = (select read_model.live_generation('${projection}', ${tenant}))`;
}

/**
 * An expression for the position that the read model which answers a tenant has reached in the tenant's partition of the
 * feed: every change up to there is in its rows, as seen by the same statement. As printPosition has it.
 * @param projection as for `live`
 * @param tenant the placeholder that binds the tenant's number
 * @param partition the placeholder that binds the tenant's partition
 */
export function reached(projection: string, tenant: string, partition: string): string {
  return `coalesce(read_model.reached('${projection}', ${tenant}, ${partition}::smallint), '${printPosition(START)}')`;
}
