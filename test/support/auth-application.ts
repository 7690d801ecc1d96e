import { randomBytes } from 'node:crypto';
import { Body, Controller, Get, Module, Post, type Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { TokenModule } from '#platform/auth/auth.module';
import { CurrentContext } from '#platform/auth/current-context';
import { Installation } from '#platform/auth/installation';
import { Integrations } from '#platform/auth/integrations';
import { Permission, Public } from '#platform/auth/permission.guard';
import { Tenants } from '#platform/auth/tenants';
import { Config } from '#platform/config';
import { WriteDatabase } from '#platform/database';
import { createHttpApplication } from '#platform/http/http-application';
import { PlatformModule } from '#platform/platform.module';
import type { RequestContext } from '#platform/request-context';

export const secretsKey = randomBytes(32).toString('base64');

export function testConfig(url: string): Config {
  return Object.assign(new Config(), {
    DATABASE_URL: url,
    SECRETS_KEY: secretsKey,
    LOG_LEVEL: 'silent',
    DATABASE_POOL: 4,
  });
}

/** Answers with what the guard learned about the caller. */
@Controller()
class Echo {
  @Get('/open')
  @Public()
  open() {
    return { open: true };
  }

  @Get('/:tenant/api/v1/matters')
  @Permission('matters:read')
  async read(@CurrentContext() context: RequestContext) {
    return { ...context, permissions: [...context.permissions] };
  }

  @Post('/:tenant/api/v1/matters')
  @Permission('matters:write')
  async write(@CurrentContext() { idempotency, ifMatch }: RequestContext, @Body() body: object) {
    return { key: idempotency?.key, hash: idempotency?.hash.toString('hex'), ifMatch, body };
  }
}

export interface AuthApplication {
  app: NestFastifyApplication;
  /** Base address, such as `http://127.0.0.1:40001`. */
  address: string;
  tenants: Tenants;
  integrations: Integrations;
  database: WriteDatabase;
}

/** An application with the token endpoint and the routes of `Echo`, listening on a free port. */
export async function startAuthApplication(
  url: string,
  controllers: Type[] = [Echo],
): Promise<AuthApplication> {
  const config = testConfig(url);
  @Module({
    imports: [PlatformModule.forRoot(config), TokenModule],
    controllers,
    providers: [Tenants, Integrations],
  })
  class AuthTestModule {}

  const app = await createHttpApplication(AuthTestModule, config);
  try {
    await app.listen(0, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  return {
    app,
    address: await app.getUrl(),
    tenants: app.get(Tenants),
    integrations: app.get(Integrations),
    database: app.get(WriteDatabase),
  };
}

/** The registry of tenants and the integrations over a given database, without a server. */
export function registryOf(database: WriteDatabase, installation: Installation) {
  const tenants = new Tenants(database, installation);
  return { tenants, integrations: new Integrations(database, tenants) };
}
