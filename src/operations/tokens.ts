/**
 * Exchanges an end user's JWT for a derived token (docs/specification.md#jwt-exchange), in two steps: verify the JWT,
 * then issue the token.
 */
import { afterCharge, HoldfastError } from '../domain/errors.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Engine } from '../engine/engine.ts';
import * as engineTokens from '../engine/tenant/tokens.ts';
import { MAX_TOKEN_MS } from '../engine/tenant/tokens.ts';
import { makeToken, parseKey } from '../identity/credentials.ts';
import type { JwtVerifier, VerifiedJwt } from '../identity/jwtVerifier.ts';

/** A token that is not valid yet. */
export interface Exchange {
  readonly token: string;
  readonly credential: Credential;
  readonly by: VerifiedJwt['by'];
  /** ms since 1970 UTC */
  readonly startMs: number;
  readonly lifetimeMs: number;
}

export interface IssuedToken {
  readonly token: string;
  readonly tokenType: 'Bearer';
  /** Seconds. */
  readonly expiresIn: number;
  /** ISO 8601 UTC */
  readonly expiresAt: string;
}

/**
 * Verifies a JWT and makes a token for its subject.
 * @param tenant undefined: the tenant whose own audience the JWT has
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function verifyJwt(verifier: JwtVerifier, jwt: string, tenant: string | undefined): Promise<Exchange> {
  const { by, subject, expiresAtMs } = await verifier.verify(jwt, tenant);
  const token = makeToken(by.tenant, subject);
  const credential = parseKey(token);
  if (credential === null) throw new TypeError('a token that was just made cannot be read');
  const startMs = Date.now();
  const lifetimeMs = Math.min(MAX_TOKEN_MS, expiresAtMs - startMs);
  if (lifetimeMs <= 0) throw new HoldfastError('unauthenticated', 'The JWT has expired.');
  return { token, credential, by, startMs, lifetimeMs };
}

/**
 * Makes the token valid. Costs one write.
 * @throws HoldfastError upgrade if the tier has no token exchange; unauthenticated if the issuer was removed;
 * forbidden, unavailable; LimitError
 */
export async function issueToken(
  engine: Engine,
  verifier: JwtVerifier,
  { token, credential, by, startMs, lifetimeMs }: Exchange,
): Promise<Charged<IssuedToken>> {
  const quota = await engineTokens.issueToken(engine, credential, by, lifetimeMs);
  const result = await afterCharge(quota, async () => {
    // If the issuer was removed before this token was issued, its tokens were ended without this one.
    if (!(await verifier.isTrusted(by)))
      throw new HoldfastError('unauthenticated', 'The issuer of the JWT has been removed.');
    const expiresAt = new Date(startMs + lifetimeMs).toISOString();
    return { token, tokenType: 'Bearer' as const, expiresIn: Math.floor(lifetimeMs / 1000), expiresAt };
  });
  return { result, quota };
}
