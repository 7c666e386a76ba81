/**
 * Begins a session (docs/specification.md#sessions).
 */
import type { BegunSession, NewSession } from '../../contract/sessions.ts';
import type { Charged } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import { toMs } from '../../redis/reply.ts';
import { callCharged, type Engine } from '../call.ts';
import { newToken, unpackToken } from '../reservations/releaseToken.ts';

/** @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError */
export async function beginSession(
  engine: Engine,
  credential: Credential,
  { requester, ttlSeconds }: NewSession,
): Promise<Charged<BegunSession>> {
  const id = newToken();
  const token = newToken();
  const args = [id, token, requester, ttlSeconds * 1000];
  const { result, ...charged } = await callCharged(engine, 'beginSession', credential, (indexed) => [indexed, ...args]);
  const expiresAt = new Date(toMs(result[0])).toISOString();
  return { ...charged, result: { session: unpackToken(id), token: unpackToken(token), expiresAt } };
}
