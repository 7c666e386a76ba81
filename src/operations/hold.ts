/**
 * What reserve and transaction have in common if something in the request waits (docs/specification.md#waiting).
 */
import { HoldfastError } from '../domain/errors.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { type Caller, MAX_TOKEN_PRIORITY, type Wait } from '../domain/waiting.ts';
import type { HeldCalls, OperationDeps } from './deps.ts';

export type WaitDeps = Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads' | 'calls'>;

/** How a call may be held. */
export interface Hold {
  /** How long its response may be held; 0: not at all, and nobody attends its tickets. */
  readonly pollSeconds: number;
  /** Its caller. Asked for only if the call waits. */
  readonly caller: () => Caller;
}

/**
 * A user's token must not overtake the requests of the tenant's own keys.
 * @param at the path of the fields in the request: `[3].`
 * @throws HoldfastError refused if the credential is a derived token, and the priority too high for one
 */
export function refuseHighPriority({ kind }: Credential, { priority = 0 }: Wait, at: string): void {
  if (kind === 'token' && priority > MAX_TOKEN_PRIORITY)
    throw new HoldfastError('refused', `${at}priority must be at most ${MAX_TOKEN_PRIORITY} with a derived token`);
}

/**
 * Carries out a call that may be held. A call that continued a ticket costs reads instead of writes. These are charged
 * beside the response, which must neither wait for that nor fail: its caller has its grant already.
 * @throws HoldfastError unavailable if nothing can wait on this instance; whatever `run` throws
 */
export async function whileHeld<Result>(
  { reads, calls }: Pick<OperationDeps, 'reads' | 'calls'>,
  credential: Credential,
  run: (calls: HeldCalls) => Promise<Charged<Result>>,
): Promise<Charged<Result>> {
  if (calls === null) throw new HoldfastError('unavailable', 'Nothing can wait on this instance.');
  const done = await run(calls);
  if (done.reads !== undefined && done.reads > 0) reads.debit(credential, done.reads).catch(() => {});
  return done;
}
