/**
 * Renews reservations: each gets a new lease that starts now (docs/specification.md#renewals). Makes one script call
 * for all items.
 */
import type { RenewItem, RenewResult } from '../../contract/renewals.ts';
import type { Idempotency } from '../../domain/idempotency.ts';
import type { Charged } from '../../domain/quota.ts';
import { INVALID_RELEASE_TOKEN } from '../../domain/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import { itemArgs, joined } from '../../redis/layouts.ts';
import { parseItem, toBookedFrom, toInteger, toMs, toTime } from '../../redis/reply.ts';
import { callInBatch } from '../batch.ts';
import type { Engine } from '../engine.ts';
import { packToken, unpackToken } from './releaseToken.ts';
import { explainLoss } from './unreserve.ts';

/**
 * @param idempotency its Idempotency-Key, if it has one
 * @returns a result for each item, in their order. An item whose token is wrong or missing fails with the explanation
 * INVALID_RELEASE_TOKEN; the other items are not affected
 * @throws HoldfastError unauthenticated, unavailable
 */
export function renew(
  engine: Engine,
  credential: Credential,
  items: readonly RenewItem[],
  idempotency?: Idempotency,
): Promise<Charged<RenewResult[]>> {
  const args = joined(items, ({ resource, requester, releaseToken, ttlSeconds, minTtlSeconds }) => {
    const ttlMs = ttlSeconds * 1000;
    const least = minTtlSeconds === undefined ? '' : ` ${minTtlSeconds * 1000}`;
    return itemArgs('renew', {
      resource,
      requester,
      token: packToken(releaseToken ?? ''),
      ttlMs: `${ttlMs}${least}`,
    });
  });
  return callInBatch(engine, 'renew', credential, items.length, args, idempotency, (replies, from) =>
    items.map((item, i) => toResult(item, parseItem(replies[from + i]))),
  );
}

function toResult(item: RenewItem, [status, ...rest]: readonly string[]): RenewResult {
  const { resource, requester } = item;
  const booking = rest[2] ? { booking: unpackToken(rest[2]) } : {};
  switch (status) {
    case 'RENEWED':
      return {
        resource,
        requester,
        status,
        explanation: status,
        expiresAt: toTime(toMs(rest[0])),
        ...(rest[1] && { ttlSeconds: toInteger(rest[1]) }),
        ...booking,
      };
    case 'NOT_AVAILABLE': {
      const booked = toBookedFrom(rest[1]);
      const explanation = `${status}: booked from ${booked.bookedFrom}`;
      return { resource, requester, status, explanation, expiresAt: toTime(toMs(rest[0])), ...booked, ...booking };
    }
    case 'NOT_RESERVED':
    case 'DOESNT_OWN_RESERVATION':
      return { resource, requester, status, explanation: explainLoss(status, item, rest), expiresAt: null };
    case INVALID_RELEASE_TOKEN:
      return { resource, requester, status: 'DOESNT_OWN_RESERVATION', explanation: status, expiresAt: null };
    default:
      throw new TypeError('renew returned an unknown status');
  }
}
