/**
 * The condition that every table of every read carries: the reader's tenant and the projection's live generation.
 * @param projection as the projector names it, with dashes; a name from code, never from a request
 * @param alias the table's alias in the query
 * @param tenant the placeholder that binds the tenant's number, as `$1`
 */
export function live(projection: string, alias: string, tenant: string): string {
  return `${alias}.tenant_id = ${tenant} and ${alias}.generation = (select read_model.live_generation('${projection}', ${tenant}))`;
}
