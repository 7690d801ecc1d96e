import type { OpenAPIObject } from '@nestjs/swagger';
import { headersWith, refusalsWith, retryAfter } from './openapi-parts';

/** Addresses that no controller of the API describes: the token endpoint, the GraphQL address, health. */

const text = { type: 'string' };
const anything = { type: 'object', additionalProperties: true };

function answer(description: string, schema: object, type = 'application/json') {
  return { description, content: { [type]: { schema } } };
}

const oauthError = answer('The error, in the form of RFC 6749, section 5.2.', {
  type: 'object',
  required: ['error'],
  properties: {
    error: { ...text, example: 'invalid_client', description: 'The code of the error.' },
    error_description: { ...text, description: 'What is wrong, as a text for people.' },
  },
});

const tokenRequest = {
  type: 'object',
  required: ['grant_type'],
  properties: {
    grant_type: { ...text, enum: ['client_credentials'], description: 'The grant of RFC 6749, section 4.4.' },
    client_id: {
      ...text,
      description:
        'The id of the client. It is sent here with client_secret, or both are sent by HTTP Basic authentication.',
    },
    client_secret: { ...text, description: 'The secret of the client.' },
    scope: {
      ...text,
      description:
        'The permissions that the token shall have, separated by spaces. When absent, or when it ends in `/.default`, ' +
        'the token has all permissions that are granted to the client.',
    },
  },
};

const tokenAnswer = {
  type: 'object',
  required: ['access_token', 'token_type', 'expires_in', 'scope', 'not_before', 'expires_on'],
  properties: {
    access_token: { ...text, description: 'The token, for the header `Authorization` (RFC 6750).' },
    token_type: { ...text, enum: ['Bearer'], description: 'How the token is sent.' },
    expires_in: { type: 'integer', example: 3600, description: 'Seconds until the token expires.' },
    scope: {
      ...text,
      description:
        'The scope that was asked for; `/.default` if none was. The tenant may have granted less, or take it back later.',
    },
    not_before: {
      type: 'integer',
      description: 'When the token begins to be valid, in seconds since 1970-01-01T00:00:00Z.',
    },
    expires_on: {
      type: 'integer',
      description: 'When the token expires, in seconds since 1970-01-01T00:00:00Z.',
    },
  },
};

const graphqlRequest = {
  type: 'object',
  required: ['query'],
  properties: {
    query: { ...text, description: 'The GraphQL document.' },
    operationName: {
      ...text,
      example: 'GetRows',
      description: 'The operation to carry out. Required when the document has several.',
    },
    variables: { ...anything, description: 'The values of the variables, by name.' },
  },
};

const graphqlAnswer = {
  type: 'object',
  properties: {
    data: { ...anything, description: 'The answer to each field that was asked for.' },
    errors: { type: 'array', items: anything, description: 'What is wrong. Absent when nothing is.' },
    extensions: { ...anything, description: 'What the service adds to the answer.' },
  },
};

/** Which of the two types an answer has, `Accept` decides. */
const graphqlContent = {
  'application/json': { schema: graphqlAnswer },
  'application/graphql-response+json': { schema: graphqlAnswer },
};
/** Refusals before the GraphQL document is read are problems, later ones are answers of GraphQL. */
const refusalContent = {
  ...graphqlContent,
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
};

const tenant = { $ref: '#/components/parameters/tenant' };
const publicly = { security: [] };

export const fixedPaths: OpenAPIObject['paths'] = {
  '/{tenant}/graphql': {
    parameters: [tenant],
    post: {
      operationId: 'queryReports',
      tags: ['reports'],
      summary: 'Query reports over GraphQL',
      description: 'Needs the permission `reports:read`. The schema is at `/{tenant}/graphql/schema`.',
      'x-permission': 'reports:read',
      security: [{ oauth2: ['reports:read'] }, { bearer: [] }],
      parameters: [{ $ref: '#/components/parameters/minPosition' }],
      requestBody: { required: true, content: { 'application/json': { schema: graphqlRequest } } },
      responses: {
        200: { description: 'The rows.', content: graphqlContent, headers: headersWith() },
        400: {
          description: 'The GraphQL document, a variable, the body or a header is wrong.',
          content: refusalContent,
        },
        406: answer('The answer is available in none of the media types that `Accept` names.', graphqlAnswer),
        503: {
          description:
            'The report cannot be made at the moment, or took too long. In an answer of GraphQL, `extensions.reason` of ' +
            'the error says why; in a problem, `code`.',
          content: refusalContent,
          headers: retryAfter,
        },
        ...refusalsWith(401, 403, 408, 413, 415, 429),
      },
    } as OpenAPIObject['paths'][string]['post'],
  },
  '/{tenant}/graphql/schema': {
    parameters: [tenant],
    get: {
      operationId: 'getReportsSchema',
      tags: ['reports'],
      summary: 'The schema, in the GraphQL schema language',
      ...publicly,
      responses: { 200: answer('The schema.', text, 'text/plain') },
    },
  },
  '/oauth2/token': {
    post: {
      operationId: 'requestToken',
      tags: ['authentication'],
      summary: 'Get an access token with the client credentials',
      ...publicly,
      requestBody: {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: tokenRequest } },
      },
      responses: {
        200: answer('A token for one hour.', tokenAnswer),
        400: oauthError,
        401: {
          ...oauthError,
          headers: {
            'WWW-Authenticate': {
              description: 'How a client authenticates: by Basic (RFC 7617).',
              schema: text,
            },
          },
        },
        408: oauthError,
        413: oauthError,
        415: oauthError,
        429: { ...oauthError, headers: retryAfter },
        503: oauthError,
      },
    },
  },
  '/.well-known/oauth-authorization-server': {
    get: {
      operationId: 'getAuthorizationServerMetadata',
      tags: ['authentication'],
      summary: "The authorization server's metadata (RFC 8414)",
      ...publicly,
      responses: { 200: answer('The metadata.', anything) },
    },
  },
  '/.well-known/jwks.json': {
    get: {
      operationId: 'getSigningKeys',
      tags: ['authentication'],
      summary: 'The keys that access tokens are signed with (RFC 7517)',
      ...publicly,
      responses: { 200: answer('The public keys.', anything) },
    },
  },
  '/health/live': {
    get: {
      operationId: 'getLiveness',
      tags: ['operations'],
      summary: 'Whether the process runs',
      ...publicly,
      responses: { 200: answer('The process runs.', anything) },
    },
  },
  '/health/ready': {
    get: {
      operationId: 'getReadiness',
      tags: ['operations'],
      summary: 'Whether the process can do its work',
      ...publicly,
      responses: {
        200: answer(
          'The process can do its work. The status is `degraded` when a part of it needs an operator; the field `degraded` ' +
            'says which part.',
          anything,
        ),
        503: answer(
          'A database that the process needs does not answer, or the process is being stopped.',
          anything,
        ),
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      tags: ['operations'],
      summary: 'Measurements for Prometheus',
      ...publicly,
      responses: {
        200: answer('The measurements, in version 0.0.4 of the Prometheus text format.', text, 'text/plain'),
      },
    },
  },
};
