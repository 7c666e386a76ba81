/**
 * Releases reservations (docs/specification.md#release): one script call for all items.
 */
import type { UnreserveItem, UnreserveResult } from '../../contract/reservations.ts';
import type { Idempotency } from '../../domain/idempotency.ts';
import type { Charged } from '../../domain/quota.ts';
import { INVALID_RELEASE_TOKEN } from '../../domain/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import { itemArgs, joined } from '../../redis/layouts.ts';
import { parseItem, toInteger, toMs, toText, toTime } from '../../redis/reply.ts';
import { callInBatch } from '../batch.ts';
import { callCharged } from '../call.ts';
import type { Engine, HandOver } from '../engine.ts';
import { visitBy } from '../expiry/dueIndex.ts';
import { madeAtMs, packToken } from './releaseToken.ts';
import { Unready } from './slotRecord.ts';

/**
 * @param idempotency its Idempotency-Key, if it has one
 * @returns a result for each item, in their order. An item whose token is wrong or missing fails with the explanation
 * INVALID_RELEASE_TOKEN; the other items are not affected
 * @throws HoldfastError unauthenticated, unavailable
 */
export function unreserve(
  engine: Engine,
  credential: Credential,
  items: readonly UnreserveItem[],
  idempotency?: Idempotency,
): Promise<Charged<UnreserveResult[]>> {
  const handOver =
    idempotency === undefined &&
    engine.handOver?.(
      credential,
      items.map(({ resource }) => resource),
    );
  if (handOver) return releaseTo(handOver, engine, credential, items);
  return callInBatch(
    engine,
    'unreserve',
    credential,
    items.length,
    joined(items, unreserveArgs),
    idempotency,
    (replies, from) => items.map((item, i) => toUnreserveResult(item, parseItem(replies[from + i]))),
  );
}

/** Releases what long polls of this instance wait for. */
async function releaseTo(
  handOver: HandOver,
  engine: Engine,
  credential: Credential,
  items: readonly UnreserveItem[],
): Promise<Charged<UnreserveResult[]>> {
  try {
    const args = joined(items, unreserveArgs);
    const argsNow = () => [...args, handOver.arg()];
    const charged = await callCharged(engine, 'unreserve', credential, argsNow, { isHandOver: true });
    const told = charged.result.slice(items.length).map(toText);
    handOver.answered(
      new Map(told.map((text) => [text.slice(0, text.indexOf('\n')), text.slice(text.indexOf('\n') + 1)])),
    );
    return { ...charged, result: items.map((item, i) => toUnreserveResult(item, parseItem(charged.result[i]))) };
  } catch (error) {
    handOver.failed();
    throw error;
  }
}

/** The script's arguments for an item. */
export const unreserveArgs = (item: UnreserveItem): (string | number)[] => {
  const { resource, requester, releaseToken } = item;
  return itemArgs('unreserve', { resource, requester, token: packToken(releaseToken ?? '') + reportOf(item) });
};

/** The condition of the slots, as few releases say it (lua/frame/items.lua). */
const reportOf = ({ condition, reason, slots }: UnreserveItem): string =>
  condition ? `\n${JSON.stringify({ condition, reason, slots })}` : '';

/** The character before the condition of the slots in a reply. No name has it. */
const CONDITION = '\u0001';

const taken = new WeakSet<object>();

/** Returns true if a release took a reservation away: its release token was not shown. */
export const wasTaken = (result: object): boolean => taken.has(result);

/** Reads a reply of unreserveOne() of lua/reservations/release.lua. */
export function toUnreserveResult(item: UnreserveItem, reply: readonly string[]): UnreserveResult {
  const { resource, requester } = item;
  const [status, ...released] = reply;
  switch (status) {
    case 'RELINQUISHED': {
      const isTaken = released.at(-1) === '';
      const slots = isTaken ? released.slice(0, -1) : released;
      const condition = slots.at(-1)?.startsWith(CONDITION) ? Unready.parse(slots.pop()?.slice(1)) : undefined;
      const result = {
        resource,
        requester,
        status,
        explanation: status,
        released: slots,
        ...(condition && { condition }),
      };
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

/**
 * Explains to a holder how it lost its reservation (docs/specification.md#taken-away).
 * @param status NOT_RESERVED or DOESNT_OWN_RESERVATION
 * @param item its token may be missing or malformed
 * @param loss what the script adds to the status (lua/reservations/release.lua)
 * @returns the explanation of the result: the status, and who took the reservation away, if somebody did
 */
export function explainLoss(
  status: string,
  { releaseToken }: { readonly releaseToken?: string | null | undefined },
  [kind, ms, actor = '']: readonly string[],
): string {
  if (kind === undefined) return status;
  const atMs = toMs(ms);
  // A reservation that was made after the reset was lost in another way.
  if (kind === 'RESET' && madeAtMs(releaseToken ?? '') > atMs) return status;
  const what = kind === 'RESET' ? 'everything was released' : 'taken away';
  return `${status}: ${what} by ${actor.replace(/^person:/, '')} at ${toTime(atMs)}`;
}

/**
 * Ends all reservations of a tenant (docs/specification.md#reset). The time does not depend on their number.
 * @param idempotency its Idempotency-Key, if it has one
 * @param actor for whom the service does it, if it does; else the script names the caller
 * @returns the number of reservations ended
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function reset(
  engine: Engine,
  credential: Credential,
  idempotency?: Idempotency,
  actor = '',
): Promise<Charged<number>> {
  const { result, ...charged } = await callCharged(engine, 'reset', credential, () => [actor], { idempotency });
  await visitBy(engine.redis, credential.tenant, toInteger(result[1]));
  return { ...charged, result: toInteger(result[0]) };
}
