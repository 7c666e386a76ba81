/**
 * Reserves resources (docs/specification.md#reserve, #plans): one script call for any number of items.
 */
import type { ReserveItem, ReserveResult } from '../../contract/reservations.ts';
import type { Charged } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import { itemArgs } from '../../redis/items.ts';
import { parseItem, toInteger, toMs, toText, toTime } from '../../redis/reply.ts';
import type { Engine } from '../call.ts';
import { share } from '../coalesce.ts';
import { newToken, unpackToken } from './releaseToken.ts';
import { parseDetails } from './slotRecord.ts';

/**
 * @returns a result for each item, in their order
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function reserve(
  engine: Engine,
  credential: Credential,
  items: readonly ReserveItem[],
): Promise<Charged<ReserveResult[]>> {
  const { result: replies, quota } = await share(
    engine,
    'reserve',
    credential,
    items.length,
    items.flatMap(reserveArgs),
  );
  return { result: items.map((item, i) => toReserveResult(item, parseItem(replies[i]))), quota };
}

/** The script's arguments for an item, with a new release token. */
export const reserveArgs = ({ resource, requester, ttlSeconds, resourceType }: ReserveItem): (string | number)[] =>
  itemArgs('reserve', {
    resource,
    requester,
    ttlMs: ttlSeconds === undefined ? '' : ttlSeconds * 1000,
    type: resourceType ?? '',
    token: newToken(),
    wait: '',
  });

/** Reads a reply of reserveOne() of lua/lib/reserveOne.lua. */
export function toReserveResult({ resource, requester }: ReserveItem, reply: readonly string[]): ReserveResult {
  const [status, explanation, fencingToken, expiresAt, token, details] = reply;
  switch (status) {
    case 'ACQUIRED':
    case 'ALREADY_HAD':
      return {
        resource,
        requester,
        status,
        explanation: status,
        releaseToken: unpackToken(toText(token)),
        expiresAt: toTime(toMs(expiresAt)),
        ...parseDetails(toText(details)),
        fencingToken: toInteger(fencingToken),
      };
    case 'ALREADY_HELD':
    case 'NOT_AVAILABLE':
    case 'NOT_VALID':
      return {
        resource,
        requester,
        status,
        explanation: toText(explanation),
        releaseToken: null,
        expiresAt: null,
        acquiredSlots: null,
        acquiredBlockers: null,
        reservedAtPath: null,
        fencingToken: null,
      };
    default:
      throw new TypeError('reserve returned an unknown status');
  }
}
