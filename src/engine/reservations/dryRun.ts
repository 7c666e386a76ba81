/**
 * Asks what a request would do now (docs/specification.md#asking-without-doing): one call of the request's own script,
 * which carries the request out on paper. No result has a token.
 */
import type {
  ReserveItem,
  ReserveResult,
  TransactionItem,
  TransactionResult,
  UnreserveItem,
  UnreserveResult,
} from '../../contract/reservations.ts';
import type { TransactionMethod } from '../../domain/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import { isWaiting, type Wait } from '../../domain/waiting.ts';
import { parseItem } from '../../redis/reply.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';
import { pollOf, type WaitCall } from '../waiting/call.ts';
import { reserveArgs, toReserveResult } from './reserve.ts';
import { toTransactionResult, transactionArgs } from './transaction.ts';
import { toUnreserveResult, unreserveArgs } from './unreserve.ts';

const DRY = { isDry: true };

/** The call that would attend the tickets. No instance has this name, and no ticket with it is ever stored. */
const callFor = (pollSeconds: number): WaitCall => ({
  instance: 'none',
  pollMs: pollSeconds * 1000,
  isContinuation: false,
});

/**
 * @param pollSeconds how long the call could be held if an item waited
 * @returns the result that each item would have, in their order
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; LimitError if the
 * request would exceed the cap on reservations
 */
export async function dryReserve(
  engine: Engine,
  credential: Credential,
  items: readonly ReserveItem[],
  pollSeconds: number,
): Promise<ReserveResult[]> {
  const poll = items.some(isWaiting) ? pollOf(callFor(pollSeconds)) : undefined;
  const args = items.flatMap((item) => reserveArgs(item, items));
  const { result: replies } = await callCharged(engine, 'reserve', credential, () => args, { ...DRY, poll });
  return items.map((item, i) => withoutTokens(toReserveResult(item, parseItem(replies[i]))));
}

/**
 * @returns the result that each item would have, in their order
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large
 */
export async function dryUnreserve(
  engine: Engine,
  credential: Credential,
  items: readonly UnreserveItem[],
): Promise<UnreserveResult[]> {
  const args = items.flatMap(unreserveArgs);
  const { result: replies } = await callCharged(engine, 'unreserve', credential, () => args, DRY);
  return items.map((item, i) => toUnreserveResult(item, parseItem(replies[i])));
}

/**
 * @param pollSeconds how long the call could be held if the transaction waited
 * @returns the outcome that the transaction would have
 * @throws as dryReserve()
 */
export async function dryTransaction(
  engine: Engine,
  credential: Credential,
  method: TransactionMethod,
  items: readonly TransactionItem[],
  wait: Wait,
  pollSeconds: number,
): Promise<TransactionResult> {
  const waiting = isWaiting(wait) ? { wait, call: callFor(pollSeconds) } : undefined;
  const args = transactionArgs(method, items, waiting);
  const { result: reply } = await callCharged(engine, 'transaction', credential, () => args, {
    ...DRY,
    poll: waiting && pollOf(waiting.call),
  });
  const result = toTransactionResult(method, items, reply);
  return { ...result, results: result.results.map((one) => ('releaseToken' in one ? withoutTokens(one) : one)) };
}

const withoutTokens = (result: ReserveResult): ReserveResult => ({ ...result, releaseToken: null, fencingToken: null });
