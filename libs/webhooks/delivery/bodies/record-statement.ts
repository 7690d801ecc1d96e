import { type CustomTypesConfig, type QueryConfig, types } from 'pg';
import { exactTypes } from '#platform/database/connection';
import { recordsText } from '#practice/records/record-statements';
import { reached } from '#projections/live';
import { listOf } from '../../events/event-catalogue';

/** In place of what was not read any more. */
export const UNREAD = Symbol('unread');

const prepared = new Map<string, string>();

/**
 * Records of a kind by their ids as their area answers them, and how far each read model that they are put together
 * from has come, in one statement: asked for apart, it could be ahead of the rows. Planned once, as deliveries ask for
 * it thousands of times.
 * @param most characters of the records that are read; whatever stands behind these is `UNREAD`, for how long records
 * are is known only as they come
 */
export function recordStatement(
  kind: string,
  tenant: { id: number; partition: number },
  ids: readonly string[],
  most: number,
): QueryConfig {
  let text = prepared.get(kind);
  if (!text) prepared.set(kind, (text = prepare(kind)));
  const values = [tenant.id, ids, tenant.partition];
  return { name: `webhooks.record.${kind}`, text, values, types: reading(most) };
}

function reading(most: number): CustomTypesConfig {
  let left = most;
  const read = (json: string) => {
    if (left <= 0) return UNREAD;
    left -= json.length;
    return JSON.parse(json);
  };
  const parserOf = (oid: number, format?: 'text') =>
    oid === types.builtins.JSON ? read : exactTypes.getTypeParser(oid, format);
  return { getTypeParser: parserOf as CustomTypesConfig['getTypeParser'] };
}

function prepare(kind: string): string {
  const list = listOf(kind);
  const models = [
    ...new Set([list, ...(list.joins ?? []), ...(list.oldest ?? [])].map(({ projection }) => projection)),
  ];
  const positions = models.map((projection) => reached(projection, '$1', '$3')).join(', ');
  // Without the offset the positions were asked for once for each record, at fifty times the cost of the record.
  return `select at.reached, page.* from (select array[${positions}] as reached offset 0) at
    left join (${recordsText(list, 'any($2::uuid[])')}) page on true`;
}
