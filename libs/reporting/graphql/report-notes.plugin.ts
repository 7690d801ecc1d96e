import type { ApolloServerPlugin } from '@apollo/server';
import type { ReportContext } from './report-context';

/** Puts the reports' notes into `extensions.report` of the answer. */
export const reportNotesPlugin: ApolloServerPlugin<ReportContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ contextValue: { notes }, response: { body } }) {
        if (body.kind !== 'single' || Object.keys(notes).length === 0) return;
        body.singleResult.extensions = { ...body.singleResult.extensions, report: notes };
      },
    };
  },
};
