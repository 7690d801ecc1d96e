import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AccessTokens } from './access-tokens';
import { Authenticator } from './authenticator';
import { ClientAuthentication } from './client-authentication';
import { Grants } from './grants';
import { PermissionGuard } from './permission.guard';
import { RateLimiter } from './rate-limiter';
import { RequestAuthentication } from './request-authentication';
import { SigningKeys } from './signing-keys';
import { TokenEndpoint } from './token-endpoint';
import { TokenFailures } from './token-failures';
import { TokenIssuer } from './token-issuer';
import { WellKnown } from './well-known';

/** Authentication, permissions and limits of every route of a process; needs PlatformModule. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    SigningKeys,
    AccessTokens,
    Grants,
    RateLimiter,
    Authenticator,
    WellKnown,
    RequestAuthentication,
    PermissionGuard,
    { provide: APP_GUARD, useExisting: PermissionGuard },
  ],
  exports: [AccessTokens, Authenticator],
})
export class AuthModule {}

/** The token endpoint, for the process that serves writes. */
@Module({
  imports: [AuthModule],
  providers: [TokenFailures, ClientAuthentication, TokenIssuer, TokenEndpoint],
})
export class TokenModule {}
