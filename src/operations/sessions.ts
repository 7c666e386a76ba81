/**
 * Begins, renews and ends sessions: one heartbeat for many reservations (docs/specification.md#sessions).
 */
import type { BegunSession, EndedSession, NewSession, RenewedSession, SessionProof } from '../contract/sessions.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import * as beginning from '../engine/sessions/begin.ts';
import * as ending from '../engine/sessions/end.ts';
import * as renewing from '../engine/sessions/renew.ts';
import { countWhole } from './counting.ts';
import type { OperationDeps } from './deps.ts';

type SessionDeps = Pick<OperationDeps, 'engine' | 'activity'>;

/** @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError */
export const beginSession = (
  deps: SessionDeps,
  credential: Credential,
  session: NewSession,
): Promise<Charged<BegunSession>> =>
  countWhole(deps, credential, 1, beginning.beginSession(deps.engine, credential, session));

/** @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError */
export const renewSession = (
  deps: SessionDeps,
  credential: Credential,
  proof: SessionProof,
): Promise<Charged<RenewedSession>> =>
  countWhole(deps, credential, 1, renewing.renewSession(deps.engine, credential, proof));

/** @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError */
export const endSession = (
  deps: SessionDeps,
  credential: Credential,
  proof: SessionProof,
): Promise<Charged<EndedSession>> => countWhole(deps, credential, 1, ending.endSession(deps.engine, credential, proof));
