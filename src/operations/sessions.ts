/**
 * Begins, renews and ends sessions: one heartbeat for many reservations (docs/specification.md#sessions).
 */
import type { BegunSession, EndedSession, NewSession, RenewedSession, SessionProof } from '../contract/sessions.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import * as engine from '../engine/sessions.ts';
import { chargeRepeat, countWhole } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import { refuseOthersNames } from './permissions.ts';

type SessionDeps = Pick<OperationDeps, 'engine' | 'activity' | 'reads'>;

/** Counts one operation, and charges a read if it was a repeat. */
const chargeCall = <Result>(
  deps: SessionDeps,
  credential: Credential,
  idempotency: Idempotency | undefined,
  call: Promise<Charged<Result>>,
): Promise<Charged<Result>> => countWhole(deps, credential, 1, chargeRepeat(deps, credential, idempotency, call));

/**
 * @param idempotency its Idempotency-Key, if it has one
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function beginSession(
  deps: SessionDeps,
  credential: Credential,
  session: NewSession,
  idempotency?: Idempotency,
): Promise<Charged<BegunSession>> {
  await refuseOthersNames(deps.engine, credential, [session]);
  return chargeCall(deps, credential, idempotency, engine.beginSession(deps.engine, credential, session, idempotency));
}

/**
 * @param idempotency its Idempotency-Key, if it has one
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const renewSession = (
  deps: SessionDeps,
  credential: Credential,
  proof: SessionProof,
  idempotency?: Idempotency,
): Promise<Charged<RenewedSession>> =>
  chargeCall(deps, credential, idempotency, engine.renewSession(deps.engine, credential, proof, idempotency));

/**
 * @param idempotency its Idempotency-Key, if it has one
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const endSession = (
  deps: SessionDeps,
  credential: Credential,
  proof: SessionProof,
  idempotency?: Idempotency,
): Promise<Charged<EndedSession>> =>
  chargeCall(deps, credential, idempotency, engine.endSession(deps.engine, credential, proof, idempotency));
