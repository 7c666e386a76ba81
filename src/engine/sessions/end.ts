/**
 * Ends a session, and so all its reservations (docs/specification.md#sessions).
 */
import type { EndedSession, SessionProof } from '../../contract/sessions.ts';
import type { Once } from '../../domain/once.ts';
import type { Charged } from '../../domain/quota.ts';
import { END_SESSION_STATUSES } from '../../domain/sessions.ts';
import type { Credential } from '../../domain/tenants.ts';
import { toInteger } from '../../redis/reply.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';
import { packToken } from '../reservations/releaseToken.ts';
import { look } from '../waiting/beat.ts';

/**
 * @param once its Idempotency-Key, if it has one
 * @throws HoldfastError unauthenticated, unavailable; forbidden, also if the credential may not act for the session's
 * requester; LimitError
 */
export async function endSession(
  engine: Engine,
  credential: Credential,
  { session, token }: SessionProof,
  once?: Once,
): Promise<Charged<EndedSession>> {
  const args = [packToken(session), packToken(token ?? ''), credential.subject ?? ''];
  const { result, ...charged } = await callCharged(engine, 'endSession', credential, () => args, { once });
  const [reply, released] = result;
  const status = END_SESSION_STATUSES.find((one) => one === reply);
  if (status === undefined) throw new TypeError('endSession returned an unknown status');
  // The session has ended. If this fails, the tenant's next calls end its reservations.
  if (status === 'ENDED') await look(engine, credential.tenant).catch(() => {});
  return { ...charged, result: { status, released: toInteger(released) } };
}
