/**
 * Reserves resources (decisions, sections 4 and 6): one script call for all items, whatever their number.
 */
import type { ReserveItem, ReserveResult } from '../domain/reservations.ts';
import type { Credential } from '../domain/tenants.ts';
import { call, type Engine } from './engine.ts';
import { parseReply, toInteger, toMs, toText, toTime } from './reply.ts';
import { newToken, packToken, unpackToken } from './token.ts';

/**
 * @returns a result for each item, in their order
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function reserve(
  engine: Engine,
  credential: Credential,
  items: readonly ReserveItem[],
): Promise<ReserveResult[]> {
  const tokens = items.map(newToken);
  const args: (string | number)[] = [''];
  items.forEach(({ resource, requester, ttlSeconds, resourceType }, i) => {
    const ttlMs = ttlSeconds === undefined ? '' : ttlSeconds * 1000;
    args.push(resource, requester, ttlMs, resourceType ?? '', packToken(tokens[i] ?? ''));
  });
  const replies = await call(engine, 'reserve', credential, (indexed) => {
    args[0] = indexed;
    return args;
  });
  return items.map((item, i) => toResult(item, tokens[i] ?? '', parseReply(replies[i])));
}

function toResult({ resource, requester }: ReserveItem, token: string, reply: unknown[]): ReserveResult {
  const [status, fencingToken, expiresAt, earlierToken] = reply;
  const none = { acquiredSlots: null, acquiredBlockers: null, reservedAtPath: null };
  switch (status) {
    case 'ACQUIRED':
    case 'ALREADY_HAD':
      return {
        resource,
        requester,
        status,
        explanation: status,
        releaseToken: status === 'ACQUIRED' ? token : unpackToken(toText(earlierToken)),
        expiresAt: toTime(toMs(expiresAt)),
        ...none,
        fencingToken: toInteger(fencingToken),
      };
    case 'ALREADY_HELD':
      return {
        resource,
        requester,
        status,
        explanation: status,
        releaseToken: null,
        expiresAt: null,
        ...none,
        fencingToken: null,
      };
    default:
      throw new TypeError('reserve returned an unknown status');
  }
}
