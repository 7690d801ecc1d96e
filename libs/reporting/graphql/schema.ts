import { NestFactory } from '@nestjs/core';
import { GraphQLSchemaBuilderModule, GraphQLSchemaFactory } from '@nestjs/graphql';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { FeeAnalysisResolver } from '../fee-analysis/fee-analysis.resolver';
import { WorkItemsResolver } from '../work-items/work-items.resolver';

/** Prints the schema in the GraphQL schema language, in alphabetical order. Needs no database. */
export async function printSdl(): Promise<string> {
  const app = await NestFactory.createApplicationContext(GraphQLSchemaBuilderModule, { logger: false });
  try {
    return sdlOf(await app.get(GraphQLSchemaFactory).create([WorkItemsResolver, FeeAnalysisResolver]));
  } finally {
    await app.close();
  }
}

export function sdlOf(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
