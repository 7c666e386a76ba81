/**
 * Common parts of requests that wait (docs/specification.md#waiting), and the cancellation of waits.
 */

import type { CancelItem, CancelResult } from '../contract/waiting.ts';
import { HoldfastError } from '../domain/errors.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { type Caller, DEFAULT_PRIORITY, type Wait } from '../domain/waiting.ts';
import type { Engine } from '../engine/engine.ts';
import { readMaxPriority } from '../engine/tenant/record.ts';
import { cancel as callCancel } from '../engine/waiting/cancel.ts';
import { chargeRepeat, countItems } from './charging.ts';
import type { LongPolls, OperationDeps } from './deps.ts';

export type WaitDeps = Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads' | 'calls' | 'trail'>;

/** Longest time for which the response to a call may be held. */
export interface Polling {
  /** Longest time for which its response may be held; 0: not at all, and nobody attends its tickets. */
  readonly pollSeconds: number;
  /** Its caller. Asked for only if the call waits. */
  readonly caller: () => Caller;
}

/** For people: they look again. */
export const NO_POLLING: Polling = { pollSeconds: 0, caller: () => ({ isGone: false, onGone: () => {} }) };

/**
 * Carries out a call that may become a long poll. A call that continued a ticket costs reads instead of writes. These
 * are charged beside the response, which must neither wait for that nor fail: its caller has its grant already.
 * @param waits how each item waits, or the transaction
 * @param pathOf the path of their fields in the request: `[3].`
 * @throws HoldfastError refused if a priority is too high for the credential; whatever `run` throws
 */
export async function runPolled<Result>(
  { engine, reads, calls }: Pick<OperationDeps, 'engine' | 'reads' | 'calls'>,
  credential: Credential,
  waits: readonly Wait[],
  pathOf: (index: number) => string,
  run: (calls: LongPolls) => Promise<Charged<Result>>,
): Promise<Charged<Result>> {
  await refuseHighPriority(engine, credential, waits, pathOf);
  const done = await run(calls);
  if (done.reads !== undefined && done.reads > 0) reads.debit(credential, done.reads).catch(() => {});
  return done;
}

/**
 * Nobody overtakes beyond what the tenant allows, and the registration by which a token was exchanged.
 * @throws HoldfastError refused if a priority is too high for the credential
 */
export async function refuseHighPriority(
  engine: Engine,
  credential: Credential,
  waits: readonly Wait[],
  pathOf: (index: number) => string,
): Promise<void> {
  const firstAbove = (max: number) => waits.findIndex(({ priority = 0 }) => priority > max);
  if (firstAbove(DEFAULT_PRIORITY) < 0) return;
  const max = await readMaxPriority(engine, credential);
  const at = firstAbove(max);
  if (at < 0) return;
  const reason = credential.kind === 'token' ? 'with this token' : 'by the setting maxPriority of the tenant';
  throw new HoldfastError('refused', `${pathOf(at)}priority must be at most ${max} ${reason}`);
}

/**
 * Ends waits, and grants that nobody claimed (docs/specification.md#cancel-and-who-is-waiting).
 * @param idempotency its Idempotency-Key, if it has one
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; LimitError
 */
export const cancel = async (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads' | 'trail'>,
  credential: Credential,
  items: readonly CancelItem[],
  idempotency?: Idempotency,
): Promise<Charged<CancelResult[]>> => {
  const charged = chargeRepeat(deps, credential, idempotency, callCancel(deps.engine, credential, items, idempotency));
  const done = await countItems(deps, credential, 'cancel', charged, (results) => results);
  // Keys end the waits of their own requesters; people end those of others.
  const isByPerson = credential.kind === 'session' && !done.isReplayed;
  const ended = isByPerson ? done.result.filter(({ status }) => status === 'CANCELLED') : [];
  if (ended.length > 0)
    deps.trail?.note(
      credential,
      ...ended.map(({ resource, requester }) => ({ action: 'wait.cancel', details: { resource, requester } })),
    );
  return done;
};
