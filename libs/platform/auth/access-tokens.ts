import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { errors, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { Clock } from '#kernel/clock';
import { DomainError } from '#kernel/errors';
import { Config } from '#platform/config';
import { Installation } from './installation';
import { SigningKeys, signingAlgorithm, tokenLifetimeSeconds } from './signing-keys';

/** The claims of a verified token. */
export interface AccessToken {
  integrationId: string;
  clientId: string;
  scope: string;
}

export interface IssuedToken {
  text: string;
  /** Unix seconds. */
  notBefore: number;
  /** Unix seconds. */
  expiresOn: number;
}

type Verified = AccessToken & { kid: string; expiresAt: number };

/** The most by which the clocks of processes may differ. */
const skewSeconds = 60;

/**
 * The total length of the verified tokens that are kept. Most tokens have a thousand characters, but one can be as long
 * as its scope and a header allow.
 */
const keptCharacters = 16 * 1024 * 1024;

/** Signs and verifies access tokens: JWTs (RFC 9068) that every process verifies alone. */
@Injectable()
export class AccessTokens {
  /** Verified tokens by their text: a repeated token costs neither crypto nor a query. */
  private readonly verified = new LRUCache<string, Verified>({
    max: 10_000,
    maxSize: keptCharacters,
    sizeCalculation: (_token, text) => text.length,
  });

  constructor(
    private readonly config: Config,
    private readonly installation: Installation,
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
  ) {}

  async issue({ integrationId, clientId, scope }: AccessToken): Promise<IssuedToken> {
    const { kid, key } = await this.keys.forSigning();
    const now = Math.floor(this.clock.now().getTime() / 1000);
    const notBefore = now - skewSeconds;
    const expiresOn = now + tokenLifetimeSeconds;
    const text = await new SignJWT({ client_id: clientId, integration_id: integrationId, scope })
      .setProtectedHeader({ alg: signingAlgorithm, typ: 'at+jwt', kid })
      .setIssuer(this.config.publicUrl)
      .setAudience(this.installation.audience)
      .setSubject(clientId)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setNotBefore(notBefore)
      .setExpirationTime(expiresOn)
      .sign(key);
    return { text, notBefore, expiresOn };
  }

  /**
   * @throws DomainError invalid_token: not signed by one of this deployment's keys, expired, or of another deployment
   */
  async verify(text: string): Promise<AccessToken> {
    const known = this.verified.get(text);
    if (known && known.expiresAt > this.clock.now().getTime() && this.keys.accepts(known.kid)) return known;
    const verified = await this.check(text);
    this.verified.set(text, verified);
    return verified;
  }

  private async check(text: string): Promise<Verified> {
    try {
      // The issuer is not compared: processes behind one proxy may be configured with different public addresses.
      const { payload, protectedHeader } = await jwtVerify(text, (header) => this.keyOf(header.kid), {
        algorithms: [signingAlgorithm],
        audience: this.installation.audience,
        typ: 'at+jwt',
        requiredClaims: ['exp', 'nbf', 'sub', 'integration_id', 'scope'],
        currentDate: this.clock.now(),
      });
      return {
        integrationId: String(payload.integration_id),
        clientId: String(payload.sub),
        scope: String(payload.scope),
        kid: String(protectedHeader.kid),
        expiresAt: payload.exp! * 1000,
      };
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw invalidToken('The access token has expired.');
      if (error instanceof errors.JOSEError) throw invalidToken('The access token is not valid.');
      throw error;
    }
  }

  private async keyOf(kid: string | undefined) {
    const key = kid === undefined ? undefined : await this.keys.forVerifying(kid);
    if (!key) throw new errors.JWKSNoMatchingKey();
    return key;
  }
}

/** The 401 answer of RFC 6750. `error` is left out if the request carried no token at all. */
export function invalidToken(detail: string, { tokenGiven = true } = {}): DomainError {
  const challenge = tokenGiven ? `Bearer error="invalid_token", error_description="${detail}"` : 'Bearer';
  return new DomainError('unauthenticated', 'invalid_token', detail, [], { 'WWW-Authenticate': challenge });
}
