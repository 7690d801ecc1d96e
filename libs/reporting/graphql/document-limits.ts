import { type ASTVisitor, GraphQLError, Kind, type SelectionSetNode, type ValidationContext } from 'graphql';

/** Bytes of a document. Checked before it is parsed. */
export const MAXIMUM_DOCUMENT_BYTES = 16 * 1024;
const MAXIMUM_DEPTH = 6;
const MAXIMUM_ROOT_FIELDS = 4;

/** A validation rule: depth and number of root fields, fragments followed. Introspection is measured by graphql's own rule. */
export function documentLimits(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition({ operation, selectionSet }) {
      if (operation !== 'query')
        context.reportError(new GraphQLError('Reports are only read: a query is expected.'));
      const { depth, fields } = measure(selectionSet, context, new Map());
      if (depth > MAXIMUM_DEPTH)
        context.reportError(exceeded(`It is ${depth} levels deep; ${MAXIMUM_DEPTH} are allowed.`));
      if (fields > MAXIMUM_ROOT_FIELDS)
        context.reportError(
          exceeded(`It asks for ${fields} root fields; ${MAXIMUM_ROOT_FIELDS} are allowed.`),
        );
    },
  };
}

interface Size {
  depth: number;
  fields: number;
}

/**
 * Depth, and number of fields at the top, of a selection.
 * @param known sizes of the fragments already seen: each is measured once, and a circle, which another rule refuses, ends
 */
function measure(selectionSet: SelectionSetNode, context: ValidationContext, known: Map<string, Size>): Size {
  let depth = 0;
  let fields = 0;
  for (const selection of selectionSet.selections) {
    if (selection.kind === Kind.FIELD) {
      if (selection.name.value.startsWith('__')) continue;
      const below = selection.selectionSet ? measure(selection.selectionSet, context, known).depth : 0;
      depth = Math.max(depth, 1 + below);
      fields += 1;
    } else {
      const inside =
        selection.kind === Kind.INLINE_FRAGMENT
          ? measure(selection.selectionSet, context, known)
          : measureFragment(selection.name.value, context, known);
      depth = Math.max(depth, inside.depth);
      fields += inside.fields;
    }
  }
  return { depth, fields };
}

function measureFragment(name: string, context: ValidationContext, known: Map<string, Size>): Size {
  const fragment = context.getFragment(name);
  if (fragment && !known.has(name)) {
    known.set(name, { depth: 0, fields: 0 });
    known.set(name, measure(fragment.selectionSet, context, known));
  }
  return known.get(name) ?? { depth: 0, fields: 0 };
}

export function exceeded(fault: string): GraphQLError {
  return new GraphQLError(`The document is too large. ${fault}`, {
    extensions: { code: 'BAD_USER_INPUT', reason: 'DOCUMENT_TOO_LARGE', http: { status: 400 } },
  });
}
