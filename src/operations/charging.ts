/**
 * Charges and counts operations: for the hour chart and the metrics, and that a key was used. Requests that fail for
 * another reason than a limit are not counted.
 */
import { afterCharge, type ErrorCode, HoldfastError, LimitError } from '../domain/errors.ts';
import { LOOKED_PER_READ } from '../domain/history.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import { leafOf } from '../domain/names.ts';
import type { Charged, Quota } from '../domain/quota.ts';
import type { Right } from '../domain/rights.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Activity, Outcome } from '../engine/tenant/activity.ts';
import type { OperationDeps } from './deps.ts';

/** Counts a request that a limit refused as a whole. */
const LIMITED: Outcome = { operations: 1, refusals: 1 };
/** Counts no operation: the request only shows that its key is in use. */
const NO_OPERATION: Outcome = { operations: 0, refusals: 0 };

const REFUSALS = new Set(['ALREADY_HELD', 'NOT_AVAILABLE', 'NOT_VALID', 'DOESNT_OWN_RESERVATION', 'CONFLICT']);

/** Statuses of items that somebody wanted and could not have. */
const NOT_HAD = new Set(['ALREADY_HELD', 'NOT_AVAILABLE']);
/** Explanations of items of transactions that nothing was in the way of. */
const NOT_TRIED = new Set(['ROLLED_BACK', 'SKIPPED']);

interface ItemResult {
  readonly status: string;
  readonly explanation?: string;
  /** The name that was asked for. */
  readonly resource: string;
}

const tally = (results: readonly ItemResult[]): Outcome => ({
  operations: results.length,
  refusals: results.filter(({ status }) => REFUSALS.has(status)).length,
});

/** Counts an operation that failed if a limit refused it. @throws the error */
function countLimit(activity: Activity, credential: Credential, error: unknown): never {
  if (error instanceof LimitError) {
    activity.count(credential, LIMITED);
    activity.countLimited(credential, error.hit.limitType);
  }
  throw error;
}

/** Counts the resources that items could not have (docs/specification.md#refusals). */
function countRefused(activity: Activity, credential: Credential, items: readonly ItemResult[]): void {
  for (const { status, explanation, resource } of items)
    if (NOT_HAD.has(status) && !NOT_TRIED.has(explanation ?? '')) activity.countRefused(credential, leafOf(resource));
}

/**
 * Waits for an operation and counts each of its items, but those of a repeat. Items that wait are operations of the
 * first call of their request; calls that continue it count only what was refused in the end.
 */
export const countItems = <Result>(
  { activity, metrics }: Pick<OperationDeps, 'activity' | 'metrics'>,
  credential: Credential,
  verb: string,
  pending: Promise<Charged<Result>>,
  itemsOf: (result: Result) => readonly ItemResult[],
): Promise<Charged<Result>> =>
  // No async function: its frame would take 0.5 KiB more of a call that is held.
  pending.then(
    (charged) => {
      if (charged.isReplayed) {
        activity.count(credential, NO_OPERATION);
        return charged;
      }
      const items = itemsOf(charged.result);
      const { operations, refusals } = tally(items);
      const isContinued = charged.reads !== undefined && charged.reads > 0;
      activity.count(credential, { operations: isContinued ? 0 : operations, refusals });
      if (refusals > 0) countRefused(activity, credential, items);
      metrics?.countItems(verb, items);
      return charged;
    },
    (error: unknown) => countLimit(activity, credential, error),
  );

/** Waits for an operation that is applied completely or not at all, and counts it as a number of operations. */
export async function countWhole<Result>(
  { activity }: Pick<OperationDeps, 'activity'>,
  credential: Credential,
  operations: number,
  pending: Promise<Charged<Result>>,
): Promise<Charged<Result>> {
  const charged = await pending.catch((error: unknown) => countLimit(activity, credential, error));
  activity.count(credential, { operations: charged.isReplayed ? 0 : operations, refusals: 0 });
  return charged;
}

/** Waits for a request that is no operation in the hour chart: a read, or a change by a person. */
export async function countUse<Result>(
  { activity }: Pick<OperationDeps, 'activity'>,
  credential: Credential,
  pending: Promise<Result>,
): Promise<Result> {
  const result = await pending.catch((error: unknown) => countLimit(activity, credential, error));
  activity.count(credential, NO_OPERATION);
  return result;
}

/** Waits until a request is charged, then carries it out. */
export async function charged<Result>(
  charging: Promise<readonly Quota[]>,
  carryOut: (quota: readonly Quota[]) => Promise<Result>,
): Promise<Charged<Result>> {
  const quota = await charging;
  return { result: await afterCharge(quota, () => carryOut(quota)), quota };
}

/** Why such a request does not get the response to the first one. */
const NOT_REPEATED: readonly ErrorCode[] = ['mismatch', 'running', 'notKept'];

/**
 * Waits for a request. Charges a read if it was a repeat: one with an Idempotency-Key that is not carried out, since
 * one under that key was carried out before (docs/specification.md#repeating-safely).
 * @param idempotency its Idempotency-Key; undefined: it is no repeat
 * @throws as `pending`; LimitError if no read is left
 */
export const chargeRepeat = <Result>(
  { reads }: Pick<OperationDeps, 'reads'>,
  credential: Credential,
  idempotency: Idempotency | undefined,
  pending: Promise<Charged<Result>>,
): Promise<Charged<Result>> =>
  idempotency === undefined
    ? pending
    : pending.then(
        async (done) => (done.isReplayed ? { ...done, quota: await reads.charge(credential, null) } : done),
        async (error: unknown) => {
          if (!(error instanceof HoldfastError && NOT_REPEATED.includes(error.code))) throw error;
          return afterCharge(await reads.charge(credential, null), () => Promise.reject(error));
        },
      );

/**
 * Charges one read for a HEAD request, whose response has only headers.
 * @param right what the caller must be allowed to do; null: anything
 * @returns the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const chargeRead = (
  deps: Pick<OperationDeps, 'activity' | 'reads'>,
  credential: Credential,
  right: Right | null,
): Promise<readonly Quota[]> => countUse(deps, credential, deps.reads.charge(credential, right));

/**
 * Opens a stream of the tenant's events (docs/specification.md#the-stream). Costs one read.
 * @param open opens the stream, once the read is charged
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError if too many streams are open, too
 */
export const watch = <Result>(
  deps: Pick<OperationDeps, 'activity' | 'reads'>,
  credential: Credential,
  open: (quota: readonly Quota[]) => Promise<Result>,
): Promise<Charged<Result>> => countUse(deps, credential, charged(deps.reads.charge(credential, 'read'), open));

/**
 * Charges what a look at the history costs beyond the read that was charged before.
 * @param looked entries that were looked at. One read has been charged
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function debitLooked(
  reads: OperationDeps['reads'],
  credential: Credential,
  looked: number,
): Promise<void> {
  const more = Math.ceil(looked / LOOKED_PER_READ) - 1;
  if (more > 0) await reads.debit(credential, more);
}
