/**
 * Renews a session, and so all its reservations, whose number does not matter (docs/specification.md#sessions).
 */
import type { RenewedSession, SessionProof } from '../../contract/sessions.ts';
import type { Once } from '../../domain/once.ts';
import type { Charged } from '../../domain/quota.ts';
import { RENEW_SESSION_STATUSES } from '../../domain/sessions.ts';
import type { Credential } from '../../domain/tenants.ts';
import { toMs, toTime } from '../../redis/reply.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';
import { packToken } from '../reservations/releaseToken.ts';

/**
 * @param once its Idempotency-Key, if it has one
 * @throws HoldfastError unauthenticated, unavailable; forbidden, also if the credential may not act for the session's
 * requester; LimitError
 */
export async function renewSession(
  engine: Engine,
  credential: Credential,
  { session, token }: SessionProof,
  once?: Once,
): Promise<Charged<RenewedSession>> {
  const args = [packToken(session), packToken(token ?? ''), credential.subject ?? ''];
  const { result, ...charged } = await callCharged(
    engine,
    'renewSession',
    credential,
    (indexed) => [indexed, ...args],
    {
      once,
    },
  );
  const [reply, expiresAt] = result;
  const status = RENEW_SESSION_STATUSES.find((one) => one === reply);
  if (status === undefined) throw new TypeError('renewSession returned an unknown status');
  return { ...charged, result: { status, expiresAt: toTime(toMs(expiresAt)) } };
}
