/**
 * Reserves resources (docs/specification.md#reserve, #plans): one script call for any number of items.
 */
import type { ReserveItem, ReserveResult } from '../../contract/reservations.ts';
import type { Condition } from '../../domain/conditions.ts';
import type { Idempotency } from '../../domain/idempotency.ts';
import type { Charged } from '../../domain/quota.ts';
import { type Asked, textOfAsked } from '../../domain/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import { itemArgs, joined } from '../../redis/layouts.ts';
import { parseItem, toBookedFrom, toInteger, toMs, toText, toTime } from '../../redis/reply.ts';
import { callInBatch } from '../batch.ts';
import { callCharged } from '../call.ts';
import { heldAttributes } from '../definitions/attributes.ts';
import type { Engine } from '../engine.ts';
import { type Issued, pollOf, ticketOf, toStanding, type WaitCall, waitArg } from '../waiting/call.ts';
import { newReleaseToken, packToken, unpackToken } from './releaseToken.ts';
import { parseDetails } from './slotRecord.ts';

/**
 * @param call the call that attends the tickets; to be passed if an item waits
 * @param idempotency its Idempotency-Key, if it has one and these are all its items
 * @param among all items of the request, if these are a part of them
 * @returns a result for each item, in their order, and their tickets
 * @throws HoldfastError unauthenticated, unavailable
 */
export function reserve(
  engine: Engine,
  credential: Credential,
  items: readonly ReserveItem[],
  call: WaitCall,
  idempotency?: Idempotency,
  among?: readonly ReserveItem[],
): Promise<Issued<ReserveResult[]>>;
export function reserve(
  engine: Engine,
  credential: Credential,
  items: readonly ReserveItem[],
  call?: WaitCall,
  idempotency?: Idempotency,
  among?: readonly ReserveItem[],
): Promise<Charged<ReserveResult[]>>;
export function reserve(
  engine: Engine,
  credential: Credential,
  items: readonly ReserveItem[],
  call?: WaitCall,
  idempotency?: Idempotency,
  among: readonly ReserveItem[] = items,
): Promise<Charged<ReserveResult[]>> {
  const args = joined(items, (item, i) => reserveArgs(item, among, call?.tokens?.[i]));
  const resultOf = (item: ReserveItem, reply: unknown) => toReserveResult(item, parseItem(reply));
  if (call === undefined)
    return callInBatch(engine, 'reserve', credential, items.length, args, idempotency, (replies, from) =>
      items.map((item, i) => resultOf(item, replies[from + i])),
    );
  // Tickets belong to one call, so a request that waits is in no batch.
  const options = { isContinuation: call.isContinuation, poll: pollOf(call), idempotency };
  return callCharged(engine, 'reserve', credential, () => args, options).then((charged) => {
    const replies = charged.result;
    const result = items.map((item, i) => resultOf(item, replies[i]));
    return { tickets: replies.map(ticketOf), replies, ...charged, result };
  });
}

/**
 * The script's arguments for an item.
 * @param items all items of its request
 */
export const reserveArgs = (
  item: ReserveItem,
  items: readonly Asking[],
  token = newReleaseToken(),
): (string | number)[] => {
  const { resource, requester, resourceType, count } = item;
  return itemArgs('reserve', {
    resource,
    requester,
    lease: leaseArg(item),
    type: resourceType ?? '',
    token,
    wait: waitArg(item),
    count: count ?? '',
    options: optionsArg(item, items),
  });
};

/** Formats the options that few items have (lua/frame/items.lua). */
function optionsArg(
  item: Asking & Pick<ReserveItem, 'note' | 'mode' | 'condition' | 'minTtlSeconds'>,
  items: readonly Asking[],
): string {
  const { note, mode, condition, match, minTtlSeconds } = item;
  if (!note && mode !== 'SHARED' && !condition && !match && !minTtlSeconds) return '';
  return JSON.stringify({
    ...(note && { note }),
    ...(mode === 'SHARED' && { mode }),
    ...(condition && { condition }),
    ...(minTtlSeconds && { minTtl: minTtlSeconds * 1000 }),
    ...(match && matchOptions(item, items)),
  });
}

/** An item of a request, among those with a match. */
type Asking = Asked & Pick<ReserveItem, 'requester'> & { readonly condition?: Condition | undefined };

/** The options of an item with a match (lua/reservations/match.lua). */
function matchOptions(item: Asking, items: readonly Asking[]): { match: string; nth?: number } {
  const match = textOfAsked(item);
  const isSame = (other: Asking) =>
    other.requester === item.requester &&
    other.condition === item.condition &&
    other.match &&
    textOfAsked(other) === match;
  const nth = items.slice(0, items.indexOf(item) + 1).filter(isSame).length;
  return { match, ...(nth > 1 && { nth }) };
}

/** The lease of a reservation, as scripts take it (readLease() in lua/frame/items.lua). */
type LeaseArg = number | `s${string}` | '';

const leaseArg = ({ ttlSeconds, session }: Pick<ReserveItem, 'ttlSeconds' | 'session'>): LeaseArg => {
  if (session !== undefined) return `s${packToken(session)}`;
  return ttlSeconds === undefined ? '' : ttlSeconds * 1000;
};

/** Reads a reply of reserveOne() of lua/reservations/match.lua. */
export function toReserveResult(item: ReserveItem, reply: readonly string[]): ReserveResult {
  const [status, explanation, fencingToken, expiresAt, token, described, waitedMs, ttlSeconds, ...sets] = reply;
  const { resource, requester, mode, match } = item;
  switch (status) {
    case 'ACQUIRED':
    case 'ALREADY_HAD': {
      const { picked, details, booking } = parseDetails(toText(described));
      const held = heldAttributes(details.slots !== undefined, sets);
      // No spread in the middle: V8 takes some µs for each property that follows one. Fields that are undefined do not
      // become part of the response.
      return {
        resource: match === undefined ? resource : (picked ?? resource),
        requester,
        status,
        explanation: status,
        releaseToken: unpackToken(toText(token)),
        expiresAt: toTime(toMs(expiresAt)),
        ttlSeconds: ttlSeconds ? toInteger(ttlSeconds) : undefined,
        mode: details.mode ?? (mode && 'EXCLUSIVE'),
        acquiredSlots: details.acquiredSlots,
        acquiredBlockers: details.acquiredBlockers,
        reservedAtPath: details.reservedAtPath,
        slots: details.slots,
        attributes: held.attributes,
        slotAttributes: held.slotAttributes,
        booking,
        fencingToken: toInteger(fencingToken),
        waitedMs: waitedMs ? toInteger(waitedMs) : undefined,
      };
    }
    case 'WAITING':
      return refusal(item, status, toText(explanation), toStanding(reply));
    case 'ALREADY_HELD':
    case 'NOT_AVAILABLE':
    case 'NOT_VALID':
      return refusal(item, status, toText(explanation), toHeldBy(reply));
    default:
      throw new TypeError('reserve returned an unknown status');
  }
}

/**
 * Reads who holds what a refused item lacked, or from when on it is booked (lua/reservations/texts.lua). No field if
 * the reply does not say.
 */
function toHeldBy([, , resource, requester, since, expiresAt, note]: readonly string[]): Pick<
  ReserveResult,
  'heldBy' | 'bookedFrom'
> {
  if (resource === undefined) return {};
  if (resource === '') return toBookedFrom(requester);
  return {
    heldBy: {
      resource,
      requester: requester || null,
      since: toTime(toMs(since)),
      expiresAt: toTime(toMs(expiresAt)),
      note: note || null,
    },
  };
}

/** The result of an item that was not reserved. `more`: the fields that not every such result has. */
export const refusal = (
  { resource, requester }: Pick<ReserveResult, 'resource' | 'requester'>,
  status: ReserveResult['status'],
  explanation: string,
  more: Partial<ReserveResult> = {},
): ReserveResult => ({
  resource,
  requester,
  status,
  explanation,
  releaseToken: null,
  expiresAt: null,
  acquiredSlots: null,
  acquiredBlockers: null,
  reservedAtPath: null,
  fencingToken: null,
  ...more,
});
