import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLFormattedError,
  Kind,
  parse,
  type Source,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import type { Reason } from '../refusal';

/** Limit for a message that repeats the given value, which may be long. */
const MOST_CHARACTERS = 300;

/** The reason for which a value of the wrong type is refused, by its path; INVALID_VALUE for all other paths. */
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

/** Kinds of nodes that are values in a document. graphql reports an unknown field of an input object separately. */
const literals: ReadonlySet<string> = new Set([
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
  Kind.OBJECT_FIELD,
]);

/**
 * Adds a reason and a path to an error about a value of the wrong type, in a variable or in the document. GraphQL
 * refuses such a value before it runs any report, and names the place only in its message.
 */
export function withFaultOfValue(told: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  if (told.extensions?.reason !== undefined || !(error instanceof GraphQLError)) return told;
  const [node] = error.nodes ?? [];
  if (!node) return told;
  const ofVariable = node.kind === Kind.VARIABLE_DEFINITION && told.extensions?.code === 'BAD_USER_INPUT';
  const path = ofVariable ? placeOf(node) : pathInDocument(node);
  if (path === undefined) return told;
  return {
    ...told,
    message: shortened(told.message),
    extensions: { ...told.extensions, ...faultAt(path) },
  };
}

/** The extensions of an error about the value at a path within the arguments, as `slice.groupKeys[0]`. */
export function faultAt(path: string): { code: string; reason: Reason; path: string } {
  const reason = reasons.find(([where]) => where.test(path))?.[1] ?? 'INVALID_VALUE';
  return { code: 'BAD_USER_INPUT', reason, path };
}

export function shortened(message: string): string {
  return message.length > MOST_CHARACTERS ? `${message.slice(0, MOST_CHARACTERS)}…` : message;
}

/** The argument, or the part of one, for which a variable is used. */
export function placeOf(definition: VariableDefinitionNode): string {
  return `${usedAt(placesOf(definition), definition)}`;
}

/** The path of the value in the document; undefined when the error is not about a value. */
function pathInDocument(value: ASTNode): string | undefined {
  if (!literals.has(value.kind)) return undefined;
  const places = placesOf(value);
  const { within, defaultOf } = places.values.get(keyOf(value))!;
  if (defaultOf === undefined) return within;
  const used = usedAt(places, defaultOf);
  return used === undefined ? undefined : `${used}${within}`;
}

interface Places {
  values: ReadonlyMap<string, { within: string; defaultOf?: VariableDefinitionNode }>;
  /** Where a variable is first used in each operation and in the fragments, by the key of `useOf`. */
  variables: ReadonlyMap<string, string>;
  /** Where the operation of each variable begins, by where the variable's definition begins. */
  operations: ReadonlyMap<number, number>;
}

const known = new WeakMap<Source, Places>();

/**
 * Finds the paths of a document's values within the arguments, as `slice.groupKeys[0]`. The result is cached, because a
 * document may have a hundred wrong values.
 */
function placesOf({ loc }: ASTNode): Places {
  const { source } = loc!;
  const places = known.get(source) ?? findPlaces(parse(source));
  known.set(source, places);
  return places;
}

function findPlaces(document: DocumentNode): Places {
  const values = new Map<string, { within: string; defaultOf?: VariableDefinitionNode }>();
  const variables = new Map<string, string>();
  const operations = new Map<number, number>();
  visit(document, {
    enter(node, _key, parent, path, ancestors) {
      const isVariable = node.kind === Kind.VARIABLE;
      if (!isVariable && !literals.has(node.kind)) return;
      const around = [...ancestors, parent!];
      const within = around.map((each, depth) => step(each, around[depth - 1], path[depth])).join('');
      const definition = around.find(isA(Kind.VARIABLE_DEFINITION));
      const operation = around.find(isA(Kind.OPERATION_DEFINITION))?.loc?.start;
      if (!isVariable) values.set(keyOf(node), { within, defaultOf: definition });
      else if (definition) operations.set(definition.loc!.start, operation!);
      else {
        const use = useOf(node.name.value, operation);
        if (!variables.has(use)) variables.set(use, within);
      }
    },
  });
  return { values, variables, operations };
}

/** @param operation where the operation begins; undefined for a use in a fragment, which any operation may spread */
function useOf(name: string, operation?: number): string {
  return `${name} ${operation ?? ''}`;
}

function usedAt({ variables, operations }: Places, { variable, loc }: VariableDefinitionNode) {
  const name = variable.name.value;
  return variables.get(useOf(name, operations.get(loc!.start))) ?? variables.get(useOf(name));
}

/** The key of a node: its kind and where it begins. No two nodes of one kind begin at the same place. */
function keyOf({ kind, loc }: ASTNode): string {
  return `${kind} ${loc!.start}`;
}

type Visited = ASTNode | readonly ASTNode[];

function isA<Of extends ASTNode['kind']>(kind: Of) {
  return (each: Visited): each is ASTNode & { kind: Of } => 'kind' in each && each.kind === kind;
}

/** The part of a value's path that one surrounding node or list adds. */
function step(around: Visited, outer: Visited | undefined, key: string | number): string {
  if (!('kind' in around)) return outer && 'kind' in outer && outer.kind === Kind.LIST ? `[${key}]` : '';
  if (around.kind === Kind.ARGUMENT) return around.name.value;
  return around.kind === Kind.OBJECT_FIELD ? `.${around.name.value}` : '';
}
