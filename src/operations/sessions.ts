/**
 * Begins, renews and ends sessions: one heartbeat for many reservations (docs/specification.md#sessions).
 */
import type { BegunSession, EndedSession, NewSession, RenewedSession, SessionProof } from '../contract/sessions.ts';
import type { Once } from '../domain/once.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import * as engine from '../engine/sessions.ts';
import { chargeRepeat, countWhole } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import { refuseOthersNames } from './permissions.ts';

type SessionDeps = Pick<OperationDeps, 'engine' | 'activity' | 'reads'>;

/** Counts one operation, and charges a read if it was a repeat. */
const chargeOnce = <Result>(
  deps: SessionDeps,
  credential: Credential,
  once: Once | undefined,
  call: Promise<Charged<Result>>,
): Promise<Charged<Result>> => countWhole(deps, credential, 1, chargeRepeat(deps, credential, once, call));

/**
 * @param once its Idempotency-Key, if it has one
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function beginSession(
  deps: SessionDeps,
  credential: Credential,
  session: NewSession,
  once?: Once,
): Promise<Charged<BegunSession>> {
  await refuseOthersNames(deps.engine, credential, [session]);
  return chargeOnce(deps, credential, once, engine.beginSession(deps.engine, credential, session, once));
}

/**
 * @param once its Idempotency-Key, if it has one
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const renewSession = (
  deps: SessionDeps,
  credential: Credential,
  proof: SessionProof,
  once?: Once,
): Promise<Charged<RenewedSession>> =>
  chargeOnce(deps, credential, once, engine.renewSession(deps.engine, credential, proof, once));

/**
 * @param once its Idempotency-Key, if it has one
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const endSession = (
  deps: SessionDeps,
  credential: Credential,
  proof: SessionProof,
  once?: Once,
): Promise<Charged<EndedSession>> =>
  chargeOnce(deps, credential, once, engine.endSession(deps.engine, credential, proof, once));
