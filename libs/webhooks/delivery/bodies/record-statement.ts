import { type CustomTypesConfig, type QueryConfig, types } from 'pg';
import { exactTypes } from '#platform/database/connection';
import { recordsText } from '#practice/records/record-statements';
import { reached } from '#projections/live';
import { listOf } from '../../events/event-catalogue';

/** Stands in place of a value that was not read any more. */
export const UNREAD = Symbol('unread');

const prepared = new Map<string, string>();

/**
 * The statement that reads records of a kind by their ids, as their area answers them, together with the positions that
 * their read models have reached. It is one statement because a position that was read separately could be ahead of the
 * rows. It is planned once, as deliveries run it thousands of times.
 * @param most the limit of the characters of records that are read. Records behind it are `UNREAD`, as their length is
 * known only when they arrive
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
  // Without `offset 0` PostgreSQL evaluated the positions once for each record, at fifty times the cost of the record.
  return `select at.reached, page.* from (select array[${positions}] as reached offset 0) at
    left join (${recordsText(list, 'any($2::uuid[])')}) page on true`;
}
