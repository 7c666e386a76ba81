/**
 * Reserves and releases in one step (docs/specification.md#transactions): one script call.
 */
import type { TransactionItem, TransactionItemResult, TransactionResult } from '../../contract/reservations.ts';
import type { Idempotency } from '../../domain/idempotency.ts';
import { TRANSACTION_STATUSES, type TransactionMethod } from '../../domain/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import type { Wait } from '../../domain/waiting.ts';
import { parseItem, toText } from '../../redis/reply.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';
import { type Issued, pollOf, ticketOf, type WaitCall, waitArg } from '../waiting/call.ts';
import { reserveArgs, toReserveResult } from './reserve.ts';
import { toUnreserveResult, unreserveArgs } from './unreserve.ts';

/** The wait of a transaction, and the call that attends its ticket. */
export interface WaitingTransaction {
  readonly wait: Wait;
  readonly call: WaitCall;
}

/**
 * @param items reserves only, if the method is FIRST or the transaction waits; the caller checks that
 * @param waiting to be passed if the transaction waits
 * @param idempotency its Idempotency-Key, if it has one
 * @returns a result for each item, in their order
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function transaction(
  engine: Engine,
  credential: Credential,
  method: TransactionMethod,
  items: readonly TransactionItem[],
  waiting?: WaitingTransaction,
  idempotency?: Idempotency,
): Promise<Issued<TransactionResult>> {
  const args = transactionArgs(method, items, waiting);
  const { result: reply, ...charged } = await callCharged(engine, 'transaction', credential, () => args, {
    isContinuation: waiting?.call.isContinuation ?? false,
    poll: waiting && pollOf(waiting.call),
    idempotency,
  });
  const result = toTransactionResult(method, items, reply);
  return { ...charged, result, tickets: waiting === undefined ? [] : reply.slice(1).map(ticketOf), replies: [] };
}

/** The script's arguments after the flags. */
export const transactionArgs = (
  method: TransactionMethod,
  items: readonly TransactionItem[],
  waiting: WaitingTransaction | undefined,
): (string | number)[] => [
  method,
  waitArg(waiting?.wait ?? {}),
  ...items.flatMap((item, i) => [
    item.requestType,
    ...(item.requestType === 'RESERVE' ? reserveArgs(item, items, waiting?.call.tokens?.[i]) : unreserveArgs(item)),
  ]),
];

/** Reads the reply of the script. */
export function toTransactionResult(
  method: TransactionMethod,
  items: readonly TransactionItem[],
  [outcome, ...replies]: readonly unknown[],
): TransactionResult {
  const status = TRANSACTION_STATUSES.find((one) => one === outcome);
  if (status === undefined) throw new TypeError('transaction returned an unknown status');
  return { method, status, results: items.map((item, i) => toResult(item, parseItem(replies[i]))) };
}

function toResult(item: TransactionItem, reply: readonly string[]): TransactionItemResult {
  if (item.requestType === 'RESERVE') return toReserveResult(item, reply);
  const [status, explanation] = reply;
  if (status !== 'NOT_AVAILABLE') return toUnreserveResult(item, reply);
  const { resource, requester } = item;
  return { resource, requester, status, explanation: toText(explanation), released: null };
}
