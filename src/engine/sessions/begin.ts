/**
 * Begins a session (docs/specification.md#sessions).
 */
import type { BegunSession, NewSession } from '../../contract/sessions.ts';
import type { Once } from '../../domain/once.ts';
import type { Charged } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import { toMs, toText } from '../../redis/reply.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';
import { newToken, unpackToken } from '../reservations/releaseToken.ts';

/**
 * @param once its Idempotency-Key, if it has one
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function beginSession(
  engine: Engine,
  credential: Credential,
  { requester, ttlSeconds }: NewSession,
  once?: Once,
): Promise<Charged<BegunSession>> {
  const id = newToken();
  const token = newToken();
  const args = [id, token, requester, ttlSeconds * 1000];
  const { result, ...charged } = await callCharged(
    engine,
    'beginSession',
    credential,
    (indexed) => [indexed, ...args],
    {
      once,
    },
  );
  // A repeat gets the id and the token of the session that the first request began.
  const [expiresAt, session, sessionToken] = result;
  return {
    ...charged,
    result: {
      session: unpackToken(toText(session)),
      token: unpackToken(toText(sessionToken)),
      expiresAt: new Date(toMs(expiresAt)).toISOString(),
    },
  };
}
