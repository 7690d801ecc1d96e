import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import type { Reason } from '../refusal';

const SLICE = 'AggregationSliceSpecInput';
/** Such a message repeats the value, which may be long. */
const MOST_CHARACTERS = 300;

/** What a value of the wrong type is refused for, by where it stands; INVALID_VALUE anywhere else. */
const reasons: readonly (readonly [RegExp, Reason])[] = [
  [/^slice\.groupKeys\b/, 'GROUP_KEY_TYPE'],
  [/^slice\.(startRow|endRow)$/, 'RANGE_INVALID'],
  [/^criteria(\.entryPeriod\.fixedPeriod|\.period)(\.(min|max))?$/, 'PERIOD_INVALID'],
  [/^criteria\.periodRelativeTo$/, 'PERIOD_INVALID'],
  [/^criteria(\.entryPeriod)?\.relativePeriod$/, 'UNKNOWN_PERIOD'],
  [/^criteria\.states\b/, 'UNKNOWN_STATE'],
  [/^criteria\.workItemTypes\b/, 'UNKNOWN_WORK_ITEM_TYPE'],
  [/^criteria\.\w+Ids?\b/, 'ID_INVALID'],
];

/**
 * An error as clients are told it, with reason and path where a variable is not of its type: GraphQL refuses it before any
 * report is asked, and says in its message alone where the fault is.
 */
export function withFaultOfVariable(told: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  if (told.extensions?.code !== 'BAD_USER_INPUT' || told.extensions.reason !== undefined) return told;
  const path = pathOf(error);
  if (path === undefined) return told;
  const reason = reasons.find(([where]) => where.test(path))?.[1] ?? 'INVALID_VALUE';
  const message =
    told.message.length > MOST_CHARACTERS ? `${told.message.slice(0, MOST_CHARACTERS)}…` : told.message;
  return { ...told, message, extensions: { ...told.extensions, reason, path } };
}

/** Of the argument that the variable is given for, whatever its name. */
function pathOf(error: unknown): string | undefined {
  if (!(error instanceof GraphQLError)) return undefined;
  const [variable] = error.nodes ?? [];
  if (variable?.kind !== Kind.VARIABLE_DEFINITION) return undefined;
  const { type } = variable;
  const isSlice = type.kind === Kind.NAMED_TYPE && type.name.value === SLICE;
  // The value comes before the path, and may hold anything that looks like one.
  const within = [...error.message.matchAll(/ at "\w+((?:\.\w+|\[\d+\])+)"; /g)].at(-1)?.[1] ?? '';
  return `${isSlice ? 'slice' : 'criteria'}${within}`;
}
