/**
 * Asks what a request would do now, without doing it (docs/specification.md#asking-without-doing). Costs one read for
 * each item.
 */
import type {
  ReserveItem,
  ReserveResult,
  Transaction,
  TransactionResult,
  UnreserveItem,
  UnreserveResult,
} from '../contract/reservations.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { isWaiting, type Wait } from '../domain/waiting.ts';
import { dryReserve, dryTransaction, dryUnreserve } from '../engine/reservations/dryRun.ts';
import { charged, countUse } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import { refuseOthersNames, reservingOf } from './permissions.ts';
import { refuseHighPriority } from './waiting.ts';

export type DryRunDeps = Pick<OperationDeps, 'engine' | 'activity' | 'reads'>;

/**
 * @param pollSeconds how long the call could be held if an item waited
 * @returns the result that each item would have, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large, or asks for a
 * priority that its credential may not have; LimitError
 */
export async function reserve(
  deps: DryRunDeps,
  credential: Credential,
  items: readonly ReserveItem[],
  pollSeconds: number,
): Promise<Charged<ReserveResult[]>> {
  await refuseOthersNames(deps.engine, credential, items);
  await refuseHighPriority(deps.engine, credential, items.map(waitOf), (index) => `[${index}].`);
  return asRead(deps, credential, items.length, () => dryReserve(deps.engine, credential, items, pollSeconds));
}

/**
 * @returns the result that each item would have, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; LimitError
 */
export const unreserve = (
  deps: DryRunDeps,
  credential: Credential,
  items: readonly UnreserveItem[],
): Promise<Charged<UnreserveResult[]>> =>
  asRead(deps, credential, items.length, () => dryUnreserve(deps.engine, credential, items));

/**
 * @param pollSeconds how long the call could be held if the transaction waited
 * @returns the outcome that the transaction would have, and the remaining quota
 * @throws as reserve()
 */
export async function transaction(
  deps: DryRunDeps,
  credential: Credential,
  { method, requests, ...wait }: Transaction,
  pollSeconds: number,
): Promise<Charged<TransactionResult>> {
  await refuseOthersNames(deps.engine, credential, reservingOf(requests));
  await refuseHighPriority(deps.engine, credential, [waitOf(wait)], () => '');
  return asRead(deps, credential, requests.length, () =>
    dryTransaction(deps.engine, credential, method, requests, wait, pollSeconds),
  );
}

/** A priority matters only if something waits. */
const waitOf = (wait: Wait): Wait => (isWaiting(wait) ? wait : {});

const asRead = <Result>(
  { activity, reads }: DryRunDeps,
  credential: Credential,
  cost: number,
  ask: () => Promise<Result>,
): Promise<Charged<Result>> =>
  countUse({ activity }, credential, charged(reads.charge(credential, 'reserve', cost), ask));
