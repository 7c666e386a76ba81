/**
 * What reserve and transaction have in common if something in the request waits (docs/specification.md#waiting).
 */
import { HoldfastError } from '../domain/errors.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { type Caller, DEFAULT_PRIORITY, type Wait } from '../domain/waiting.ts';
import type { Engine } from '../engine/engine.ts';
import { readMaxPriority } from '../engine/tenant/record.ts';
import type { HeldCalls, OperationDeps } from './deps.ts';

export type WaitDeps = Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads' | 'calls' | 'trail'>;

/** How a call may be held. */
export interface Hold {
  /** How long its response may be held; 0: not at all, and nobody attends its tickets. */
  readonly pollSeconds: number;
  /** Its caller. Asked for only if the call waits. */
  readonly caller: () => Caller;
}

/**
 * Carries out a call that may be held. A call that continued a ticket costs reads instead of writes. These are charged
 * beside the response, which must neither wait for that nor fail: its caller has its grant already.
 * @param waits how each item waits, or the transaction
 * @param pathOf the path of their fields in the request: `[3].`
 * @throws HoldfastError refused if a priority is too high for the credential; whatever `run` throws
 */
export async function whileHeld<Result>(
  { engine, reads, calls }: Pick<OperationDeps, 'engine' | 'reads' | 'calls'>,
  credential: Credential,
  waits: readonly Wait[],
  pathOf: (index: number) => string,
  run: (calls: HeldCalls) => Promise<Charged<Result>>,
): Promise<Charged<Result>> {
  await refuseHighPriority(engine, credential, waits, pathOf);
  const done = await run(calls);
  if (done.reads !== undefined && done.reads > 0) reads.debit(credential, done.reads).catch(() => {});
  return done;
}

/**
 * Nobody overtakes beyond what the tenant allows, and a user's token does not overtake the tenant's own keys.
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
  const isToken = credential.kind === 'token';
  const max = isToken ? DEFAULT_PRIORITY : await readMaxPriority(engine, credential);
  const at = firstAbove(max);
  if (at < 0) return;
  const reason = isToken ? 'with a derived token' : 'by the setting maxPriority of the tenant';
  throw new HoldfastError('refused', `${pathOf(at)}priority must be at most ${max} ${reason}`);
}
