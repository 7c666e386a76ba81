/**
 * Additional arguments and replies of scripts whose requests may wait (docs/specification.md#waiting): the
 * call that attends the tickets, how long an item waits, and the tickets that items got.
 */
import type { ReserveResult } from '../../contract/reservations.ts';
import type { Idempotency } from '../../domain/idempotency.ts';
import type { Charged } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import { DEFAULT_CLAIM_SECONDS, DEFAULT_PRIORITY, isWaiting, type Wait } from '../../domain/waiting.ts';
import { parseItem, toBookedFrom, toInteger, toMs, toText } from '../../redis/reply.ts';
import { call, callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';
import { toReason } from '../reservations/holders.ts';

/** A call of an instance that attends the tickets of its request. */
export interface WaitCall {
  /** The instance of the long poll. */
  readonly instance: string;
  /** Longest time for which the call may still be held, in ms; 0: it is not held, and its tickets are detached. */
  readonly pollMs: number;
  /** True if the script was called before for the same HTTP request. It then charges nothing. */
  readonly isContinuation: boolean;
  /**
   * The release tokens of the items, the same each time the script is called for them. So a grant whose claim lost its
   * reply is still answered ACQUIRED. Left out: new ones.
   */
  readonly tokens?: readonly string[];
}

/** The result of a request that may wait. */
export interface Issued<Result> extends Charged<Result> {
  /** The ticket of each item, in their order; '' for an item that does not wait. */
  readonly tickets: readonly string[];
  /** The replies of the script to the items; none if the request does not wait. */
  readonly replies: readonly unknown[];
}

/** Formats the long poll of a request that may wait, as its script takes it (lua/frame/call.lua). */
export const pollOf = ({ instance, pollMs }: WaitCall): string => `${instance} ${Math.ceil(pollMs)}`;

/** Formats the argument `wait` of an item or a transaction; '' if it is a try. */
export const waitArg = (wait: Wait): string => {
  if (!isWaiting(wait)) return '';
  const { waitSeconds = 0, priority = DEFAULT_PRIORITY, claimSeconds = DEFAULT_CLAIM_SECONDS } = wait;
  return `${waitSeconds * 1000} ${priority} ${claimSeconds * 1000}`;
};

/** Reads where a ticket stands, from the reply to an item that waits (lua/reservations/texts.lua). */
export function toStanding(reply: readonly string[]): Pick<ReserveResult, 'waiting' | 'bookedFrom'> {
  const [, , , ahead, waitsFor, since, until, why = '', bookedFrom] = reply;
  const at = (ms: unknown) => new Date(toMs(ms)).toISOString();
  const waiting = {
    ahead: toInteger(ahead),
    waitsFor: toText(waitsFor),
    since: at(since),
    until: at(until),
    ...toReason(why),
  };
  return { waiting, ...toBookedFrom(bookedFrom) };
}

/** Reads the ticket of an item from its reply; '' if it does not wait. */
export function ticketOf(reply: unknown): string {
  const [status, , ticket] = parseItem(reply);
  return status === 'WAITING' ? toText(ticket) : '';
}

/**
 * Reads where tickets stand now.
 * @param tickets as issued; '' is none
 * @returns ticket → the reply of the script to its items; none for a ticket that does not wait any more
 * @throws HoldfastError unauthenticated, forbidden, unavailable, overloaded
 */
export async function standingOf(
  engine: Engine,
  credential: Credential,
  tickets: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const asked = [...new Set(tickets)].filter((ticket) => ticket !== '');
  const replies = await call(engine, 'tellWaits', credential, () => asked);
  return new Map(asked.map((ticket, i) => [ticket, toText(replies[i])] as const).filter(([, reply]) => reply !== ''));
}

/**
 * Keeps the response to a request with an Idempotency-Key that waited, if no script of its own could
 * (docs/specification.md#repeating-safely). Does nothing if one is kept already.
 * @param reply as the script of the request returns it after the quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; mismatch
 */
export async function keepReply(
  engine: Engine,
  credential: Credential,
  idempotency: Idempotency,
  reply: readonly string[],
): Promise<void> {
  await callCharged(engine, 'keep', credential, () => [...reply], { idempotency });
}
