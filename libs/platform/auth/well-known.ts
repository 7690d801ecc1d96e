import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { Config } from '#platform/config';
import { allPermissions } from './permissions';
import { SigningKeys } from './signing-keys';

/**
 * The documents that clients and verifiers look up: the server's metadata (RFC 8414) and its keys. They are plain JSON,
 * without the envelope.
 */
@Injectable()
export class WellKnown implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: Config,
    private readonly keys: SigningKeys,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    const issuer = this.config.publicUrl;
    fastify.get('/.well-known/oauth-authorization-server', async () => ({
      issuer,
      token_endpoint: `${issuer}/oauth2/token`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      scopes_supported: allPermissions,
    }));
    fastify.get('/.well-known/jwks.json', async (_request, reply) => {
      reply.header('Cache-Control', 'public, max-age=30');
      return this.keys.published();
    });
  }
}
