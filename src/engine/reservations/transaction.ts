/**
 * Reserves and releases in one step (docs/specification.md#transactions): one script call.
 */
import type { TransactionItem, TransactionItemResult, TransactionResult } from '../../contract/reservations.ts';
import type { Charged } from '../../domain/quota.ts';
import { TRANSACTION_STATUSES, type TransactionMethod } from '../../domain/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import { parseItem, toText } from '../../redis/reply.ts';
import { callCharged, type Engine } from '../call.ts';
import { reserveArgs, toReserveResult } from './reserve.ts';
import { toUnreserveResult, unreserveArgs } from './unreserve.ts';

/**
 * @param items reserves only, if the method is FIRST; the caller checks that
 * @returns a result for each item, in their order
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function transaction(
  engine: Engine,
  credential: Credential,
  method: TransactionMethod,
  items: readonly TransactionItem[],
): Promise<Charged<TransactionResult>> {
  const args = items.flatMap((item) => [
    item.requestType,
    ...(item.requestType === 'RESERVE' ? reserveArgs(item) : unreserveArgs(item)),
  ]);
  const { result: reply, quota } = await callCharged(engine, 'transaction', credential, (indexed) => [
    indexed,
    method,
    '',
    '',
    ...args,
  ]);
  const [outcome, ...replies] = reply;
  const status = TRANSACTION_STATUSES.find((one) => one === outcome);
  if (status === undefined) throw new TypeError('transaction returned an unknown status');
  const results = items.map((item, i) => toResult(item, parseItem(replies[i])));
  return { result: { method, status, results }, quota };
}

function toResult(item: TransactionItem, reply: readonly string[]): TransactionItemResult {
  if (item.requestType === 'RESERVE') return toReserveResult(item, reply);
  const [status, explanation] = reply;
  if (status !== 'NOT_AVAILABLE') return toUnreserveResult(item, reply);
  const { resource, requester } = item;
  return { resource, requester, status, explanation: toText(explanation), released: null };
}
