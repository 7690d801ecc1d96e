import { printPosition, START } from '#event-store/position';

/**
 * The condition that every table in every read query needs: the reader's tenant and the projection's live generation.
 * @param projection the projection's name, with dashes; from code, never from a request
 * @param alias the table's alias in the query
 * @param tenant the placeholder of the tenant's number, as `$1`
 */
export function live(projection: string, alias: string, tenant: string): string {
  return `${alias}.tenant_id = ${tenant} and ${alias}.generation = (select read_model.live_generation('${projection}', ${tenant}))`;
}

/**
 * SQL of the position that the read model serving a tenant has reached in the tenant's partition of the feed, as
 * printPosition prints it: rows that the same statement sees include every change up to there.
 * @param projection as for `live`
 * @param tenant the placeholder of the tenant's number
 * @param partition the placeholder of the tenant's partition
 */
export function reached(projection: string, tenant: string, partition: string): string {
  return `coalesce(read_model.reached('${projection}', ${tenant}, ${partition}::smallint), '${printPosition(START)}')`;
}
