import type { ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { FeeAnalysisResolver } from './fee-analysis/fee-analysis.resolver';
import { documentLimits } from './graphql/document-limits';
import { ReportDriver } from './graphql/report-driver';
import { reportNotesPlugin } from './graphql/report-notes.plugin';
import { PlaygroundController } from './playground/playground.controller';
import { Reports } from './reports';
import { TenantCalendars } from './tenant-calendar';
import { WorkItemsResolver } from './work-items/work-items.resolver';

/** Reports over GraphQL, at `POST /{tenant}/graphql`. Needs Config, Clock, ReadDatabase and Authenticator globally. */
@Module({
  imports: [
    GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ReportDriver,
      path: '/:tenant/graphql',
      autoSchemaFile: true,
      sortSchema: true,
      playground: false,
      introspection: true,
      persistedQueries: false,
      validationRules: [documentLimits],
      plugins: [reportNotesPlugin],
      // a refused report is a 400, also where another root field of the request was answered
      preserveHttpStatusForExecutionErrors: false,
    }),
  ],
  controllers: [PlaygroundController],
  providers: [Reports, TenantCalendars, WorkItemsResolver, FeeAnalysisResolver],
})
export class ReportingModule {}
