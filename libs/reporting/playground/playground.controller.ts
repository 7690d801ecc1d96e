import { createReadStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { Controller, Get, Header, Headers, NotFoundException, Param, StreamableFile } from '@nestjs/common';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { ApiExcludeController } from '@nestjs/swagger';
import { type IntrospectionQuery, introspectionFromSchema } from 'graphql';
import { Public } from '#platform/auth/permission.guard';
import { Config } from '#platform/config';
import { sdlOf } from '../graphql/schema';
import { page, script } from './page';

/** All assets that the page needs, from npm packages: the page works without internet access. */
const assets: Record<string, { type: string; package: string; file: string }> = {
  'react.js': { type: 'text/javascript', package: 'react', file: 'umd/react.production.min.js' },
  'react-dom.js': { type: 'text/javascript', package: 'react-dom', file: 'umd/react-dom.production.min.js' },
  'graphiql.js': { type: 'text/javascript', package: 'graphiql', file: 'graphiql.min.js' },
  'graphiql.css': { type: 'text/css', package: 'graphiql', file: 'graphiql.min.css' },
};

/** Serves the schema for tools, and in development a playground. Neither shows data of a tenant. */
@Public()
@ApiExcludeController()
@Controller(':tenant/graphql')
export class PlaygroundController {
  constructor(
    private readonly config: Config,
    private readonly schemaHost: GraphQLSchemaHost,
  ) {}

  @Get('schema')
  @Header('Content-Type', 'text/plain; charset=utf-8')
  schema(): string {
    return sdlOf(this.schemaHost.schema);
  }

  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header(
    'Content-Security-Policy',
    "default-src 'self'; style-src 'self' 'unsafe-inline'; font-src data:; img-src 'self' data:",
  )
  playground(@Headers('accept') accept = ''): string {
    this.developmentOnly();
    // Otherwise a client that sends queries by GET would get 200 and a page instead of rows.
    if (!accept.includes('text/html')) throw new NotFoundException();
    return page;
  }

  @Get('playground/start.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  start(): string {
    this.developmentOnly();
    return script;
  }

  @Get('playground/schema.json')
  introspection(): { data: IntrospectionQuery } {
    this.developmentOnly();
    return { data: introspectionFromSchema(this.schemaHost.schema) };
  }

  @Get('playground/:asset')
  asset(@Param('asset') name: string): StreamableFile {
    this.developmentOnly();
    if (!Object.hasOwn(assets, name)) throw new NotFoundException();
    const asset = assets[name];
    const folder = dirname(require.resolve(`${asset.package}/package.json`));
    return new StreamableFile(createReadStream(join(folder, asset.file)), {
      type: `${asset.type}; charset=utf-8`,
    });
  }

  private developmentOnly(): void {
    if (this.config.NODE_ENV !== 'development') throw new NotFoundException();
  }
}
