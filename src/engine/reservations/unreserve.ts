/**
 * Releases reservations (docs/specification.md#release): one script call for all items.
 */
import type { UnreserveItem, UnreserveResult } from '../../contract/reservations.ts';
import type { Once } from '../../domain/once.ts';
import type { Charged } from '../../domain/quota.ts';
import { INVALID_RELEASE_TOKEN } from '../../domain/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import { itemArgs } from '../../redis/items.ts';
import { parseItem } from '../../redis/reply.ts';
import { callInBatch } from '../batch.ts';
import type { Engine } from '../engine.ts';
import { packToken } from './releaseToken.ts';
import { explainLoss } from './taken.ts';

/**
 * @param once its Idempotency-Key, if it has one
 * @returns a result for each item, in their order. An item whose token is wrong or missing fails with the explanation
 * INVALID_RELEASE_TOKEN; the other items are not affected
 * @throws HoldfastError unauthenticated, unavailable
 */
export function unreserve(
  engine: Engine,
  credential: Credential,
  items: readonly UnreserveItem[],
  once?: Once,
): Promise<Charged<UnreserveResult[]>> {
  const read = (charged: Charged<unknown[]>) => ({
    ...charged,
    result: items.map((item, i) => toUnreserveResult(item, parseItem(charged.result[i]))),
  });
  return callInBatch(engine, 'unreserve', credential, items.length, items.flatMap(unreserveArgs), once, read);
}

/** The script's arguments for an item. */
export const unreserveArgs = ({ resource, requester, releaseToken }: UnreserveItem): (string | number)[] =>
  itemArgs('unreserve', { resource, requester, token: packToken(releaseToken ?? '') });

const taken = new WeakSet<object>();

/** Whether a release took a reservation away: its release token was not shown. */
export const wasTaken = (result: object): boolean => taken.has(result);

/** Reads a reply of unreserveOne() of lua/reservations/unreserve.lua. */
export function toUnreserveResult(item: UnreserveItem, reply: readonly string[]): UnreserveResult {
  const { resource, requester } = item;
  const [status, ...released] = reply;
  switch (status) {
    case 'RELINQUISHED': {
      const isTaken = released.at(-1) === '';
      const slots = isTaken ? released.slice(0, -1) : released;
      const result: UnreserveResult = { resource, requester, status, explanation: status, released: slots };
      if (isTaken) taken.add(result);
      return result;
    }
    case 'NOT_RESERVED':
    case 'DOESNT_OWN_RESERVATION':
      return { resource, requester, status, explanation: explainLoss(status, item, released), released: null };
    case INVALID_RELEASE_TOKEN:
      return { resource, requester, status: 'DOESNT_OWN_RESERVATION', explanation: status, released: null };
    default:
      throw new TypeError('unreserve returned an unknown status');
  }
}
