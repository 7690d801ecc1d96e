import { knex, recordsOf, shown } from '#practice/records/list-rows';
import { reached } from '#projections/live';
import { listOf } from '../event-catalogue';

/** Stand for a tenant, its partition and ids while a statement is made. */
const TENANT = -1;
const PARTITION = -2;
const IDS = ['00000000-0000-0000-0000-000000000000'];

interface Prepared {
  name: string;
  text: string;
  /** What each placeholder is bound to. */
  slots: (typeof TENANT | typeof PARTITION | typeof IDS)[];
}

const prepared = new Map<string, Prepared>();

/**
 * Records of a kind by their ids as their area answers them, and how far each read model that they are put together
 * from has come, in one statement: asked for apart, it could be ahead of the rows. Planned once, as deliveries ask for
 * it thousands of times.
 */
export function recordStatement(
  kind: string,
  tenant: { id: number; partition: number },
  ids: readonly string[],
): { name: string; text: string; values: unknown[] } {
  let statement = prepared.get(kind);
  if (!statement) prepared.set(kind, (statement = prepare(kind)));
  const { name, text, slots } = statement;
  const values = slots.map((slot) =>
    slot === TENANT ? tenant.id : slot === PARTITION ? tenant.partition : [...ids],
  );
  return { name, text, values };
}

function prepare(kind: string): Prepared {
  const list = listOf(kind);
  const records = recordsOf(list, TENANT).select('r.*').whereRaw('r.id = any(?::uuid[])', [IDS]);
  const models = [
    ...new Set([list, ...(list.joins ?? []), ...(list.oldest ?? [])].map(({ projection }) => projection)),
  ];
  const positions = models.map((projection) => reached(projection, ':tenant', ':partition')).join(', ');
  const { sql, bindings } = knex
    .select('at.reached', 'page.*')
    .from(knex.raw(`(select array[${positions}] as reached) at`, { tenant: TENANT, partition: PARTITION }))
    .leftJoin(shown(records, list, TENANT).as('page'), knex.raw('true'))
    .toSQL()
    .toNative();
  return {
    name: `webhooks.record.${kind}`,
    text: typed(sql, bindings),
    slots: [...bindings] as Prepared['slots'],
  };
}

/** Without a type PostgreSQL would take some of the placeholders for text. */
function typed(sql: string, bindings: readonly unknown[]): string {
  return sql.replaceAll(/\$(\d+)(?!\d|::)/g, (placeholder, number) =>
    typeof bindings[Number(number) - 1] === 'number' ? `${placeholder}::int` : placeholder,
  );
}
