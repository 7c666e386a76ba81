/**
 * Releases reservations (decisions, sections 4 and 6): one script call for all items.
 */
import { INVALID_RELEASE_TOKEN, type UnreserveItem, type UnreserveResult } from '../domain/reservations.ts';
import type { Credential } from '../domain/tenants.ts';
import { call, type Engine } from './engine.ts';
import { parseReply, toText } from './reply.ts';
import { packToken } from './token.ts';

/**
 * @returns a result for each item, in their order; an item whose token is wrong or missing has the explanation
 * INVALID_RELEASE_TOKEN, and the others are carried out all the same
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function unreserve(
  engine: Engine,
  credential: Credential,
  items: readonly UnreserveItem[],
): Promise<UnreserveResult[]> {
  const args = items.flatMap(({ resource, requester, releaseToken }) => [
    resource,
    requester,
    packToken(releaseToken ?? ''),
  ]);
  const replies = await call(engine, 'unreserve', credential, () => args);
  return items.map(({ resource, requester }, i) => {
    const [status, ...released] = parseReply(replies[i]);
    switch (status) {
      case 'RELINQUISHED':
        return { resource, requester, status, explanation: status, released: released.map(toText) };
      case 'NOT_RESERVED':
      case 'DOESNT_OWN_RESERVATION':
        return { resource, requester, status, explanation: status, released: null };
      case INVALID_RELEASE_TOKEN:
        return { resource, requester, status: 'DOESNT_OWN_RESERVATION', explanation: status, released: null };
      default:
        throw new TypeError('unreserve returned an unknown status');
    }
  });
}
