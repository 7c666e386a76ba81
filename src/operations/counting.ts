/**
 * Counts operations and refusals for the hour chart and the metrics, and notes that a key was used. Requests that fail
 * for another reason than a limit are not counted.
 */
import { afterCharge, LimitError } from '../domain/errors.ts';
import type { Charged, Quota } from '../domain/quota.ts';
import { leafOf } from '../domain/resources.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Activity, Outcome } from '../engine/tenant/activity.ts';
import type { OperationDeps } from './deps.ts';

/** Counts a request that a limit refused as a whole. */
const LIMITED: Outcome = { operations: 1, refusals: 1 };
/** Counts no operation: the request only shows that its key is in use. */
const NO_OPERATION: Outcome = { operations: 0, refusals: 0 };

const REFUSALS = new Set(['ALREADY_HELD', 'NOT_AVAILABLE', 'NOT_VALID', 'DOESNT_OWN_RESERVATION']);

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
