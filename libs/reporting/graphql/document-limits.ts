import { type ASTVisitor, GraphQLError, Kind, type SelectionSetNode, type ValidationContext } from 'graphql';

/** Bytes of a document. Checked before it is parsed. */
export const MAXIMUM_DOCUMENT_BYTES = 16 * 1024;
const MAXIMUM_DEPTH = 6;
const MAXIMUM_ROOT_FIELDS = 4;

/** A validation rule: depth and number of root fields, fragments followed. Introspection is measured by graphql's own rule. */
export function documentLimits(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition({ selectionSet }) {
      const { depth, fields } = measure(selectionSet, context, new Set());
      if (depth > MAXIMUM_DEPTH)
        context.reportError(exceeded(`It is ${depth} levels deep; ${MAXIMUM_DEPTH} are allowed.`));
      if (fields > MAXIMUM_ROOT_FIELDS)
        context.reportError(
          exceeded(`It asks for ${fields} root fields; ${MAXIMUM_ROOT_FIELDS} are allowed.`),
        );
    },
  };
}

/** Depth, and number of fields at the top, of a selection. `within` holds the fragments being followed: they may circle. */
function measure(
  { selections }: SelectionSetNode,
  context: ValidationContext,
  within: ReadonlySet<string>,
): { depth: number; fields: number } {
  let depth = 0;
  let fields = 0;
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      if (selection.name.value.startsWith('__')) continue;
      const below = selection.selectionSet ? measure(selection.selectionSet, context, within).depth : 0;
      depth = Math.max(depth, 1 + below);
      fields += 1;
      continue;
    }
    const name = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : undefined;
    const fragment =
      selection.kind === Kind.FRAGMENT_SPREAD ? context.getFragment(selection.name.value) : selection;
    if (!fragment || (name !== undefined && within.has(name))) continue;
    const inside = measure(
      fragment.selectionSet,
      context,
      name === undefined ? within : new Set([...within, name]),
    );
    depth = Math.max(depth, inside.depth);
    fields += inside.fields;
  }
  return { depth, fields };
}

export function exceeded(fault: string): GraphQLError {
  return new GraphQLError(`The document is too large. ${fault}`, {
    extensions: { code: 'BAD_USER_INPUT', reason: 'DOCUMENT_TOO_LARGE', http: { status: 400 } },
  });
}
