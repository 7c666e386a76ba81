/**
 * Returns what pages show of some resources: what they are, whether they are free, who holds them and who is next. It
 * costs as much as the request names, however many resources and reservations the tenant has.
 */
import { PATH_DELIMITER } from '../../domain/names.ts';
import type { Credential } from '../../domain/tenants.ts';
import { parseItem, parseReply, toInteger } from '../../redis/reply.ts';
import { call } from '../call.ts';
import { decodeLabels, type Labels } from '../definitions/codec.ts';
import type { Engine } from '../engine.ts';
import { type Hold, type SlotState, toSlotState } from './holders.ts';
import { type NotReady, type SlotCondition, toNotReady, toSlotCondition } from './slotConditions.ts';

/** A blocker that is in use, so that nobody new can reserve the resource that takes it along. */
export interface BlockedBy {
  /** The blocker. */
  readonly name: string;
  /** The reservation that holds it, perhaps of another resource that takes it along; null: several do, or none does */
  readonly hold: Hold | null;
  /** Why no slot of it can be had, if that is why. */
  readonly condition: NotReady | null;
}

/** A request that waits. */
export interface Waiter {
  readonly requester: string;
  /** Time for which it wants to hold, in ms; null: while its session is kept */
  readonly ttlMs: number | null;
  /** Number of slots. */
  readonly count: number;
  readonly note: string | undefined;
}

export interface ResourceState {
  readonly name: string;
  readonly isRegistered: boolean;
  /** The number of slots; 1 if it is not registered; null for a group. */
  readonly capacity: number | null;
  /** The number of held slots. */
  readonly held: number;
  /** The number of slots that a request can have: free and ready. */
  readonly free: number;
  /** The numbers of slots of these conditions, held or not. */
  readonly outOfService: number;
  readonly dirty: number;
  /** Its slots that are not ready, as far as `slots` has them. */
  readonly notReady: readonly SlotCondition[];
  /** The number of requests that wait for it, and the first five of them, in the order of the queue. */
  readonly waiting: number;
  readonly queue: readonly Waiter[];
  /** The place of the given requesters in its queue, from 1; null: they do not wait for it */
  readonly place: number | null;
  /** The names of its ancestors, from the root down. */
  readonly above: readonly string[];
  /** The first ancestor, from the root down, that has no free slot; null: none */
  readonly fullAncestor: string | null;
  /** Why that one has none, if not since all are held. */
  readonly fullBecause: NotReady | null;
  /** The first blocker that is in use; null: none, or no slot of it or of an ancestor is free anyway */
  readonly blockedBy: BlockedBy | null;
  readonly labels: Labels;
  /** Its only slot, or the first slots of a pool and those that the given requesters have. A group has none. */
  readonly slots: readonly SlotState[];
}

export interface StatesOptions {
  /** Maximum number of slots to return of a pool, at most 16. */
  readonly slots: number;
  /** At most 4 requesters: their slots of a pool are returned in any case, and their places in queues. */
  readonly requesters?: readonly string[];
}

/**
 * @param names of resources, as requests have them: a path, or a slot of a pool, stands for its resource
 * @returns a state for each name, in their order
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function resourceStates(
  engine: Engine,
  credential: Credential,
  names: readonly string[],
  { slots, requesters = [] }: StatesOptions,
): Promise<ResourceState[]> {
  const states: ResourceState[] = [];
  const mine = requesters.map((requester) => `${requester}\n`).join('');
  while (states.length < names.length) {
    const rest = names.slice(states.length);
    const piece = await call(engine, 'states', credential, () => [slots, mine, ...rest]);
    states.push(...piece.map(toState));
  }
  return states;
}

function toState(reply: unknown): ResourceState {
  const [head, ...texts] = parseReply(reply);
  const [name = '', registered, capacity, group, held, waiting, queued, place, above = '', full = '', ...rest] =
    parseItem(head);
  const [blocker = '', free, out, dirty, conditions, fullBecause, blockedBecause, ...labels] = rest;
  const queue = texts.splice(0, toInteger(queued)).map(toWaiter);
  const notReady = texts.splice(0, toInteger(conditions)).map(toSlotCondition);
  const slots = texts.map(toSlotState);
  const inTheWay = blocker === '' ? undefined : slots.shift();
  return {
    name,
    isRegistered: registered === '1',
    capacity: group === '1' ? null : toInteger(capacity),
    held: toInteger(held),
    free: toInteger(free),
    outOfService: toInteger(out),
    dirty: toInteger(dirty),
    notReady,
    waiting: toInteger(waiting),
    queue,
    place: toInteger(place) || null,
    above: above === '' ? [] : above.split(PATH_DELIMITER),
    fullAncestor: full || null,
    fullBecause: toNotReady(fullBecause),
    blockedBy:
      blocker === '' ? null : { name: blocker, hold: inTheWay?.hold ?? null, condition: toNotReady(blockedBecause) },
    labels: decodeLabels(labels),
    slots,
  };
}

function toWaiter(text: unknown): Waiter {
  const [requester = '', ttlMs, count, note] = parseItem(text);
  return { requester, ttlMs: toInteger(ttlMs) || null, count: toInteger(count), note: note || undefined };
}
