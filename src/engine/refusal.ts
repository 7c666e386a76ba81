/**
 * The errors for the codes by which scripts refuse requests.
 */
import { z } from 'zod';
import { HoldfastError, LIMITED_BY, type LimitError, type LimitType, tierLimitError } from '../domain/errors.ts';
import { TIERS, type TierTable } from '../domain/tiers.ts';
import { toText } from '../redis/reply.ts';

/** The definitions changed after this change was planned: plan again. */
export class StaleError extends Error {}

export const noValidKey = () => new HoldfastError('unauthenticated', 'The X-Api-Key header holds no valid key.');

export const beingChanged = () =>
  new HoldfastError('unavailable', 'The definitions are being changed. Repeat the call.');

/** The error for a code by which a script refuses a request. */
export function refusal(tiers: TierTable, verb: string, code: unknown, rest: readonly unknown[]): Error {
  switch (code) {
    case 'NO_KEY':
      return noValidKey();
    case 'SUSPENDED':
      return new HoldfastError('forbidden', 'This tenant is suspended.');
    case 'FORBIDDEN':
      return new HoldfastError('forbidden', toText(rest[0]));
    case 'STALE':
      return new StaleError();
    case 'CHANGING':
      return beingChanged();
    case 'UNKNOWN':
      return new HoldfastError(
        'unavailable',
        'The outcome is unknown: the reply was lost. Check before you repeat the call.',
      );
    case 'MISMATCH':
      return new HoldfastError('mismatch', 'Another request has been sent with this Idempotency-Key. Send a new key.');
    case 'RUNNING':
      return new HoldfastError('running', 'The first request with this Idempotency-Key is still running. Repeat it.');
    case 'NOT_KEPT':
      return new HoldfastError(
        'notKept',
        'The request was carried out before. Its response was too long to be kept: look at the state.',
      );
    case 'FREE':
      return new HoldfastError('upgrade', 'Tokens are exchanged from tier Starter on.');
    case 'LIMIT':
      return limitError(tiers, rest);
    case 'REFUSED':
      return new HoldfastError('refused', toText(rest[0]));
    case 'UNREGISTERED':
      return new HoldfastError('unregistered', 'No such resource is registered.');
    default:
      return new TypeError(`${verb} returned an unknown code`);
  }
}

/** @param reply the reply of refuse() of lua/limits/quota.lua, after its code */
function limitError(tiers: TierTable, reply: readonly unknown[]): LimitError {
  const [limitType, limit, tier, asked, retryAfter, left] = LimitReply.parse(
    reply.map((one) => (one instanceof Buffer ? one.toString() : one)),
  );
  return tierLimitError(tiers, { limitType, limit, tier, asked, retryAfter, isUsedUp: left === 0 });
}

const LimitReply = z.tuple([
  z.enum(Object.keys(LIMITED_BY) as LimitType[]),
  z.coerce.number(),
  z.enum(TIERS),
  z.coerce.number(),
  z.coerce.number(),
  z.coerce.number(),
]);
