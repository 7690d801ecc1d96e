import type { ApolloServerPlugin } from '@apollo/server';
import type { ReportContext } from './report-context';

/** Sets the operation and its reports as attributes of the request's span. */
export const reportSpansPlugin: ApolloServerPlugin<ReportContext> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ operation, operationName, contextValue: { request } }) {
        request.span?.setAttributes({
          'graphql.operation.type': operation?.operation,
          'graphql.operation.name': operationName ?? undefined,
          'practice.reports': operation?.selectionSet.selections.flatMap((field) =>
            field.kind === 'Field' ? field.name.value : [],
          ),
        });
      },
    };
  },
};
