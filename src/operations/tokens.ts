/**
 * Exchanges a JWT for a derived token (docs/specification.md#jwt-exchange), in two steps: verify the JWT, then issue
 * the token.
 */
import { afterCharge, HoldfastError } from '../domain/errors.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Engine } from '../engine/engine.ts';
import * as engineTokens from '../engine/tenant/tokens.ts';
import { MAX_TOKEN_MS } from '../engine/tenant/tokens.ts';
import { makeToken, parseKey } from '../identity/credentials.ts';
import type { JwtVerifier, Presented, VerifiedJwt } from '../identity/jwtVerifier.ts';

/** A token that is not valid yet. */
export interface Exchange {
  readonly token: string;
  readonly credential: Credential;
  readonly by: VerifiedJwt['by'];
  readonly requester: string;
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
  /** The requester that the token acts for. */
  readonly requester: string;
  /** The id of the registration. */
  readonly issuer: string;
}

/**
 * Verifies a JWT and makes a token for its requester.
 * @throws HoldfastError unauthenticated, refused, unavailable
 */
export async function verifyJwt(verifier: JwtVerifier, jwt: string, presented: Presented): Promise<Exchange> {
  const { by, requester, expiresAtMs } = await verifier.verify(jwt, presented);
  const token = makeToken(by.tenant, requester);
  const credential = parseKey(token);
  if (credential === null) throw new TypeError('a token that was just made cannot be read');
  const startMs = Date.now();
  const lifetimeMs = Math.min(MAX_TOKEN_MS, expiresAtMs - startMs);
  if (lifetimeMs <= 0) throw new HoldfastError('unauthenticated', 'The JWT has expired.');
  return { token, credential, by, requester, startMs, lifetimeMs };
}

/**
 * Makes the token valid. Costs one write.
 * @throws HoldfastError upgrade if the tier has no token exchange; unauthenticated if the registration was changed or
 * removed; forbidden, unavailable; LimitError
 */
export async function issueToken(
  engine: Engine,
  verifier: JwtVerifier,
  { token, credential, by, requester, startMs, lifetimeMs }: Exchange,
): Promise<Charged<IssuedToken>> {
  const quota = await engineTokens.issueToken(engine, credential, by, lifetimeMs);
  const result = await afterCharge(quota, async () => {
    // If the registration was changed before this token was issued, its tokens were ended without this one.
    if (!(await verifier.isTrusted(by))) {
      await engineTokens.endToken(engine, credential);
      throw new HoldfastError('unauthenticated', 'The issuer of the JWT has been changed or removed. Exchange again.');
    }
    const expiresAt = new Date(startMs + lifetimeMs).toISOString();
    return {
      token,
      tokenType: 'Bearer' as const,
      expiresIn: Math.floor(lifetimeMs / 1000),
      expiresAt,
      requester,
      issuer: by.id,
    };
  });
  return { result, quota };
}
