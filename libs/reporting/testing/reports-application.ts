import type { IncomingMessage } from 'node:http';
import { Global, Module } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyInstance } from 'fastify';
import { Pool } from 'pg';
import { Clock } from '#kernel/clock';
import { DomainError } from '#kernel/errors';
import { AuthModule } from '#platform/auth/auth.module';
import { Authenticator } from '#platform/auth/authenticator';
import { Config, loadConfig } from '#platform/config';
import { ReadDatabase } from '#platform/database';
import { registerJsonBody } from '#platform/http/body/json-body';
import { newTraceId } from '#platform/http/trace';
import { registerUnreadAnswers } from '#platform/http/unread-answers';
import type { RequestContext } from '#platform/request-context';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { ReportingModule } from '../reporting.module';

const types = {
  work_item_listing: 'WorkItemCriteriaInput',
  fee_analysis: 'FeeAnalysisFactCriteriaInput',
};
export type ReportName = keyof typeof types;

/** The headers of an accepted request. */
export const GOOD = { authorization: 'Bearer good', 'content-type': 'application/json' };

/** The reports' HTTP application over a database of its own, for tests. It accepts the bearer token `good`. */
export class ReportsApplication {
  now = new Date('2025-01-09T12:00:00Z');
  permissions = ['reports:read'];
  admitted = async (): Promise<void> => undefined;

  private constructor(
    private readonly database: TestDatabase,
    readonly pool: Pool,
    private readonly tenants: Record<string, number>,
  ) {}

  app!: NestFastifyApplication;

  /** @param tenants numbers of the tenants by alias */
  static async start(tenants: Record<string, number>, environment: 'test' | 'development' = 'test') {
    return ReportsApplication.over(await createTestDatabase(), tenants, environment);
  }

  /** Starts over an existing database; `stop` drops it. */
  static async over(
    database: TestDatabase,
    tenants: Record<string, number>,
    environment: 'test' | 'development' = 'test',
  ) {
    const reports = new ReportsApplication(database, new Pool({ connectionString: database.url }), tenants);
    reports.app = await reports.createApplication(
      loadConfig({ DATABASE_URL: database.url, NODE_ENV: environment, LOG_LEVEL: 'silent' }),
    );
    return reports;
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.pool.end();
    await this.database.drop();
  }

  /** Sends the body of a request. */
  async send(payload: string | object, headers: object = GOOD, tenant = 'one') {
    const answer = await this.app.inject({
      method: 'POST',
      url: `/${tenant}/graphql`,
      headers: { ...headers },
      payload,
    });
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
  }

  /** Sends a request as the specification's clients do. */
  async post(
    name: ReportName,
    slice: object | null,
    criteria: object | null = null,
    tenant = 'one',
    headers = {},
  ) {
    const payload = {
      operationName: 'GetRows',
      variables: { criteria, slice },
      query: `query GetRows($criteria: ${types[name]}, $slice: AggregationSliceSpecInput) { ${name}(criteria: $criteria, slice: $slice) }`,
    };
    return this.send(payload, { ...GOOD, ...headers }, tenant);
  }

  /** The rows and the notes of the answer. */
  async rows(name: ReportName, slice: object, criteria: object | null = null, tenant?: string, headers = {}) {
    const { status, body } = await this.post(name, slice, criteria, tenant, headers);
    expect(body.errors).toBeUndefined();
    expect(status).toBe(200);
    return { rows: body.data[name], report: body.extensions.report[name] };
  }

  /** Status, code, reason, path and message of the refusal. */
  async refusal(name: ReportName, slice: object, criteria: object | null = null) {
    const { status, body } = await this.post(name, slice, criteria);
    const [{ message, extensions }] = body.errors;
    return { status, code: extensions.code, reason: extensions.reason, path: extensions.path, message };
  }

  private async createApplication(config: Config): Promise<NestFastifyApplication> {
    const authenticator = {
      provide: Authenticator,
      useValue: { authenticate: (request: AuthenticatedRequest) => this.authenticate(request) },
    };
    const platform = [
      { provide: Config, useValue: config },
      { provide: Clock, useValue: { now: () => this.now } },
    ];

    @Global()
    @Module({ providers: [...platform, ReadDatabase], exports: [Config, Clock, ReadDatabase] })
    class Platform {}

    @Module({ providers: [authenticator], exports: [Authenticator] })
    class Authentication {}

    const adapter = new FastifyAdapter({
      genReqId: (request: IncomingMessage) => newTraceId(request.headers.traceparent),
    });
    const module = await Test.createTestingModule({ imports: [Platform, ReportingModule] })
      .overrideModule(AuthModule)
      .useModule(Authentication)
      .compile();
    const app = module.createNestApplication<NestFastifyApplication>(adapter, {
      bodyParser: false,
      logger: false,
    });
    const fastify = adapter.getInstance() as unknown as FastifyInstance;
    registerJsonBody(fastify);
    registerUnreadAnswers(fastify);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return app;
  }

  private async authenticate(request: AuthenticatedRequest): Promise<RequestContext> {
    const id = this.tenants[request.tenantAlias];
    if (request.headers.authorization !== 'Bearer good' || id === undefined)
      throw new DomainError('unauthenticated', 'invalid_token', 'No.', [], { 'WWW-Authenticate': 'Bearer' });
    const admitted = this.admitted();
    admitted.catch(() => undefined);
    return {
      tenant: { id, alias: request.tenantAlias, partition: 0, streamId: '' },
      integrationId: 'test',
      actor: 'integration:test',
      permissions: new Set(this.permissions) as RequestContext['permissions'],
      correlationId: request.correlationId,
      admitted,
      rateLimitHeaders: () => ({ RateLimit: '"default";r=99;t=60' }),
    };
  }
}

type AuthenticatedRequest = Parameters<Authenticator['authenticate']>[0];

/** `cols('entryDate', 'units:sum')` */
export function cols(...names: string[]) {
  return names.map((name) => {
    const [colId, aggFunc] = name.split(':');
    return aggFunc ? { colId, aggFunc } : { colId };
  });
}

export function columns(...names: string[]) {
  return names.map((colId) => ({ colId }));
}
