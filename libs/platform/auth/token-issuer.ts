import { Injectable } from '@nestjs/common';
import OAuth2Server from '@node-oauth/oauth2-server';
import { AccessTokens, type IssuedToken } from './access-tokens';
import { ClientAuthentication } from './client-authentication';
import { grantScope } from './scopes';
import { tokenLifetimeSeconds } from './signing-keys';
import { readTokenRequest } from './token-request';

const { OAuthError, Request, Response, InvalidClientError, UnsupportedGrantTypeError } = OAuth2Server;

/** The answer to a token request: RFC 6749 section 5.1, with two further members that existing clients read. */
export interface TokenAnswer {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
  not_before: number;
  expires_on: number;
}

/** Grants tokens for client credentials (RFC 6749 section 4.4). */
@Injectable()
export class TokenIssuer {
  constructor(
    private readonly clients: ClientAuthentication,
    private readonly tokens: AccessTokens,
  ) {}

  /**
   * @param request the form as text, and the address for which failures are counted
   * @throws OAuthError of RFC 6749 section 5.2, or `slow_down` (RFC 8628) after too many failures; any other failure as
   * it is
   */
  async issue(request: {
    form: string;
    headers: Record<string, string>;
    address: string;
  }): Promise<TokenAnswer> {
    const { authorization, ...headers } = request.headers;
    const body = readTokenRequest(request.form, authorization);
    // Checked here, as the library also accepts grants that this server does not offer, and clients without a secret.
    if (body.grant_type !== undefined && body.grant_type !== 'client_credentials')
      throw new UnsupportedGrantTypeError('Only grant_type=client_credentials is supported.');
    const server = new OAuth2Server({
      model: this.modelFor(request.address),
      accessTokenLifetime: tokenLifetimeSeconds,
    });
    const token = await server
      .token(new Request({ method: 'POST', query: {}, headers, body }), new Response())
      .catch((error) => {
        throw error.inner ?? error;
      });
    const issued = token.issued as IssuedToken;
    return {
      access_token: issued.text,
      token_type: 'Bearer',
      expires_in: tokenLifetimeSeconds,
      scope: token.scope!.join(' '),
      not_before: issued.notBefore,
      expires_on: issued.expiresOn,
    };
  }

  private modelFor(address: string): OAuth2Server.ClientCredentialsModel {
    return {
      getClient: async (clientId, secret) => {
        const attempt = await this.clients.attempt(clientId, secret, address);
        if (attempt === 'refused')
          throw new InvalidClientError('The client is unknown or its secret is wrong.');
        if ('retryAfterSeconds' in attempt)
          throw new OAuthError('Too many failed requests for tokens.', {
            code: 429,
            name: 'slow_down',
            retryAfter: attempt.retryAfterSeconds,
          });
        return { id: clientId, grants: ['client_credentials'], integrationId: attempt.integrationId };
      },
      // The library requires this method; AccessTokens verifies tokens, in every process.
      getAccessToken: async () => undefined,
      getUserFromClient: async (client) => ({ id: client.id }),
      validateScope: async (_user, _client, scope) => grantScope(scope),
      saveToken: async (token, client, user) => {
        const { integrationId, id: clientId } = client;
        const scope = token.scope!.join(' ');
        const issued = await this.tokens.issue({ integrationId, clientId, scope });
        return { ...token, accessToken: issued.text, issued, client, user };
      },
    };
  }
}
