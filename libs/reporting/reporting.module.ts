import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import type { ApolloDriverConfig } from '@nestjs/apollo';
import { Logger, Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { AuthModule } from '#platform/auth/auth.module';
import { FeeAnalysisResolver } from './fee-analysis/fee-analysis.resolver';
import { queriesOnly } from './graphql/document-limits';
import { failuresPlugin, masked } from './graphql/failure';
import { ReportDriver } from './graphql/report-driver';
import { reportNotesPlugin } from './graphql/report-notes.plugin';
import { reportSpansPlugin } from './graphql/report-spans.plugin';
import { variableFaultsPlugin } from './graphql/variable-faults.plugin';
import { PlaygroundController } from './playground/playground.controller';
import { ReportStatements } from './report-statements';
import { Reports } from './reports';
import { SourceChoice } from './sources/source-choice';
import { TenantCalendars } from './tenant-calendar';
import { WorkItemsResolver } from './work-items/work-items.resolver';

const logger = new Logger('Reports');

/** Serves reports over GraphQL, at `POST /{tenant}/graphql`. Needs PlatformModule. */
@Module({
  imports: [
    GraphQLModule.forRootAsync<ApolloDriverConfig>({
      driver: ReportDriver,
      imports: [AuthModule],
      useFactory: () => ({
        path: '/:tenant/graphql',
        autoSchemaFile: true,
        sortSchema: true,
        playground: false,
        introspection: true,
        persistedQueries: false,
        validationRules: [queriesOnly],
        // The cache control plugin visits every field only to send `no-store`, which the driver sends with every
        // answer.
        plugins: [
          ApolloServerPluginCacheControlDisabled(),
          reportNotesPlugin,
          reportSpansPlugin,
          variableFaultsPlugin,
          failuresPlugin,
        ],
        formatError: masked,
        logger: {
          debug: (message) => logger.debug(message),
          info: (message) => logger.log(message),
          warn: (message) => logger.warn(message),
          error: (message) => logger.error(message),
        },
        includeStacktraceInErrorResponses: false,
        autoTransformHttpErrors: false,
        // A refused report makes the status 400 even when another root field of the request was answered.
        preserveHttpStatusForExecutionErrors: false,
      }),
    }),
  ],
  controllers: [PlaygroundController],
  providers: [
    Reports,
    ReportStatements,
    SourceChoice,
    TenantCalendars,
    WorkItemsResolver,
    FeeAnalysisResolver,
  ],
})
export class ReportingModule {}
