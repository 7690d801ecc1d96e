import {
  type ASTVisitor,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  parse,
  type SelectionSetNode,
  type ValidationContext,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';

const MAXIMUM_DOCUMENT_BYTES = 16 * 1024;
/** Nested brackets: the parser and the rules recurse once per level and would exhaust the stack. */
const MAXIMUM_NESTING = 100;
const MAXIMUM_DEPTH = 6;
const MAXIMUM_ROOT_FIELDS = 4;
/**
 * graphql's own rules compare each spread with all others: 375 spreads, which fit into a document, took up to 1.4 s.
 */
const MAXIMUM_SPREADS = 100;
/** Tools ask for 230 fields. With nested fields under many aliases, 16 KiB produced an answer of 110 MB, in 39 s. */
const MAXIMUM_SCHEMA_FIELDS = 500;

/**
 * Matches brackets, and also strings and comments, whose brackets do not count. An unterminated string counts as a
 * string, so that the text is scanned once.
 */
const NESTING = /"""(?:\\"""|[\s\S])*?(?:"""|$)|"(?:\\.|[^"\\\n\r])*"?|#[^\n\r]*|[[{(]|[\]})]/g;

/** Documents that are not too large: a caller sends the same few over and over. */
const checked = new LRUCache<string, true>({ maxSize: 4_000_000, sizeCalculation: (_, text) => text.length });

/**
 * The reason why a document is too large to be validated; undefined when it is not. graphql's own rules compare each
 * field with all others of its name, which takes a second even for a document within the limit of bytes.
 */
export function tooLarge(text: string): GraphQLError | undefined {
  if (checked.get(text)) return undefined;
  const bytes = Buffer.byteLength(text);
  if (bytes > MAXIMUM_DOCUMENT_BYTES)
    return exceeded(`It has ${bytes} bytes; ${MAXIMUM_DOCUMENT_BYTES} are allowed.`);
  let [nesting, deepest] = [0, 0];
  for (const [token] of text.matchAll(NESTING)) {
    if ('[{('.includes(token)) nesting += 1;
    else if (']})'.includes(token)) nesting -= 1;
    deepest = Math.max(deepest, nesting);
  }
  if (deepest > MAXIMUM_NESTING)
    return exceeded(`It has ${deepest} brackets within each other; ${MAXIMUM_NESTING} are allowed.`);
  const document = parsed(text);
  const fault = document && tooMuch(document);
  if (document && !fault) checked.set(text, true);
  return fault;
}

/** The parsed document; undefined when it has a syntax error, which Apollo reports when it parses the text itself. */
function parsed(text: string): DocumentNode | undefined {
  try {
    return parse(text, { noLocation: true });
  } catch {
    return undefined;
  }
}

/**
 * Checks the number of spreads, the depth and the numbers of fields, following fragments. graphql's own rule limits the
 * depth of introspection.
 */
function tooMuch(document: DocumentNode): GraphQLError | undefined {
  const { definitions } = document;
  const spreads = spreadsIn(document);
  if (spreads > MAXIMUM_SPREADS)
    return exceeded(`It spreads fragments ${spreads} times; ${MAXIMUM_SPREADS} are allowed.`);
  const fragments = new Map(
    definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const known = new Map<string, Size>();
  for (const definition of definitions) {
    if (!('selectionSet' in definition)) continue;
    const { depth, fields, others } = measure(definition.selectionSet, fragments, known);
    // A fragment's own fields all count as fields of the schema. A query that uses the fragment is measured with it.
    const isQuery = definition.kind === Kind.OPERATION_DEFINITION;
    const ofSchema = isQuery ? others : fields + others;
    if (isQuery && depth > MAXIMUM_DEPTH)
      return exceeded(`It is ${depth} levels deep; ${MAXIMUM_DEPTH} are allowed.`);
    if (isQuery && fields > MAXIMUM_ROOT_FIELDS)
      return exceeded(`It asks for ${fields} root fields; ${MAXIMUM_ROOT_FIELDS} are allowed.`);
    if (ofSchema > MAXIMUM_SCHEMA_FIELDS)
      return exceeded(`It asks for ${ofSchema} fields of the schema; ${MAXIMUM_SCHEMA_FIELDS} are allowed.`);
  }
  return undefined;
}

function spreadsIn(document: DocumentNode): number {
  let spreads = 0;
  visit(document, {
    FragmentSpread() {
      spreads += 1;
    },
  });
  return spreads;
}

/** A validation rule that allows queries only. */
export function queriesOnly(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition({ operation }) {
      if (operation !== 'query')
        context.reportError(new GraphQLError('Reports are only read: a query is expected.'));
    },
  };
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

interface Size {
  depth: number;
  /** Number of root fields. */
  fields: number;
  /** Number of introspection fields and of all fields below the root: only the schema has such fields. */
  others: number;
}

const NOTHING: Size = { depth: 0, fields: 0, others: 0 };

/**
 * Measures the depth and the number of fields of a selection.
 * @param known sizes of the fragments already seen: each fragment is measured once, so that a cycle, which another rule
 * refuses, ends
 */
function measure(selectionSet: SelectionSetNode, fragments: Fragments, known: Map<string, Size>): Size {
  let { depth, fields, others } = NOTHING;
  for (const selection of selectionSet.selections) {
    if (selection.kind === Kind.FIELD) {
      const below = selection.selectionSet ? measure(selection.selectionSet, fragments, known) : NOTHING;
      others += below.fields + below.others;
      if (selection.name.value.startsWith('__')) others += 1;
      else {
        depth = Math.max(depth, 1 + below.depth);
        fields += 1;
      }
    } else {
      const inside =
        selection.kind === Kind.INLINE_FRAGMENT
          ? measure(selection.selectionSet, fragments, known)
          : measureFragment(selection.name.value, fragments, known);
      depth = Math.max(depth, inside.depth);
      fields += inside.fields;
      others += inside.others;
    }
  }
  return { depth, fields, others };
}

function measureFragment(name: string, fragments: Fragments, known: Map<string, Size>): Size {
  const fragment = fragments.get(name);
  if (fragment && !known.has(name)) {
    known.set(name, NOTHING);
    known.set(name, measure(fragment.selectionSet, fragments, known));
  }
  return known.get(name) ?? NOTHING;
}

function exceeded(fault: string): GraphQLError {
  return new GraphQLError(`The document is too large. ${fault}`, {
    extensions: { code: 'BAD_USER_INPUT', reason: 'DOCUMENT_TOO_LARGE', http: { status: 400 } },
  });
}
