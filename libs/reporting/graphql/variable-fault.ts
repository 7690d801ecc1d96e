import {
  type ASTNode,
  BREAK,
  GraphQLError,
  type GraphQLFormattedError,
  Kind,
  parse,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import type { Reason } from '../refusal';

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

/** Within the argument that the variable is given for, whatever its name. */
function pathOf(error: unknown): string | undefined {
  if (!(error instanceof GraphQLError)) return undefined;
  const [variable] = error.nodes ?? [];
  if (variable?.kind !== Kind.VARIABLE_DEFINITION) return undefined;
  // The value comes before the path, and may hold anything that looks like one.
  const within = [...error.message.matchAll(/ at "\w+((?:\.\w+|\[\d+\])+)"; /g)].at(-1)?.[1] ?? '';
  return `${placeOf(variable)}${within}`;
}

/** Where a variable is first used, as `slice.groupKeys[0]`: anywhere in the document, as fragments use variables too. */
function placeOf({ variable, loc }: VariableDefinitionNode): string {
  let place = '';
  visit(parse(loc!.source), {
    Variable(node, _key, parent, path, ancestors) {
      if (node.name.value !== variable.name.value) return undefined;
      const around = [...ancestors, parent!];
      place = around.map((each, depth) => step(each, around[depth - 1], path[depth])).join('');
      // Its definition stands in no argument.
      return place ? BREAK : undefined;
    },
  });
  return place;
}

type Visited = ASTNode | readonly ASTNode[];

/** What one node or list around a value adds to its path. */
function step(around: Visited, outer: Visited | undefined, key: string | number): string {
  if (!('kind' in around)) return outer && 'kind' in outer && outer.kind === Kind.LIST ? `[${key}]` : '';
  if (around.kind === Kind.ARGUMENT) return around.name.value;
  return around.kind === Kind.OBJECT_FIELD ? `.${around.name.value}` : '';
}
