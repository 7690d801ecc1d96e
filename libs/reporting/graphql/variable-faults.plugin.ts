import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  coerceInputValue,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import type { ReportContext } from './report-context';
import { faultAt, placeOf, shortened } from './value-fault';

const MOST_FAULTS = 50;
/** Stands for all further faults. Made once, since making an error takes longer than checking a report's variables. */
const ENOUGH = new GraphQLError('Too many errors in the variables: the others are not reported.', {
  extensions: { code: 'BAD_USER_INPUT', reason: 'INVALID_VALUE' },
});

/**
 * Refuses variables of the wrong type with status 400, before graphql does. graphql's message about an unknown field
 * repeats the whole object around it: fifty such messages about an object of half a megabyte took two seconds.
 * Variables without a value are left to graphql.
 */
export const variableFaultsPlugin: ApolloServerPlugin<ReportContext> = {
  async requestDidStart() {
    return {
      async responseForOperation({ schema, operation, request: { variables = {} } }) {
        // Apollo also asks when the request names no operation of its document; then it refuses the request itself.
        if (!operation) return null;
        const errors = faultsOf(schema, operation, variables);
        if (errors.length === 0) return null;
        return {
          http: { status: 400, headers: new HeaderMap() },
          body: { kind: 'single', singleResult: { errors } },
        };
      },
    };
  },
};

/** The faults of an operation's variables; after the fiftieth one error stands for all others. */
function faultsOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
): GraphQLFormattedError[] {
  const faults: GraphQLFormattedError[] = [];
  try {
    for (const definition of variableDefinitions) {
      const name = definition.variable.name.value;
      const value = Object.hasOwn(variables, name) ? variables[name] : null;
      if (value === null) continue;
      const type = typeFromAST(schema, definition.type) as GraphQLInputType; // a rule of graphql has made sure of it
      coerceInputValue(value, type, (path, _value, { message }) => {
        if (faults.length === MOST_FAULTS) throw ENOUGH;
        const within = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
        const told = `Variable "$${name}" got an invalid value at "${name}${within}": ${message}`;
        const extensions = faultAt(`${placeOf(definition)}${within}`);
        faults.push(new GraphQLError(shortened(told), { nodes: definition, extensions }).toJSON());
      });
    }
  } catch (error) {
    if (error !== ENOUGH) throw error;
    faults.push(ENOUGH.toJSON());
  }
  return faults;
}
