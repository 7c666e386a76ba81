/**
 * Reads what the page of one resource shows, registered or not: its definition, who holds its slots, what a reservation
 * takes along, and who waits for it. It reads nothing of other resources, however many there are.
 */
import type { WaitingRequest } from '../../contract/waiting.ts';
import type { AfterUse } from '../../domain/conditions.ts';
import type { Credential } from '../../domain/tenants.ts';
import { parseItem, parseReply, toInteger, toText } from '../../redis/reply.ts';
import { call } from '../call.ts';
import { decodeLabels, type Labels } from '../definitions/codec.ts';
import type { Engine } from '../engine.ts';
import { toRow } from '../waiting/list.ts';
import { type Hold, toSlotState } from './holders.ts';
import { type NotReady, type SlotCondition, toNotReady, toSlotCondition } from './slotConditions.ts';

/** A definition, as the page shows it. */
export interface Registered {
  /** Null for a group, which has no slots. */
  readonly capacity: number | null;
  /** True if it can be booked for a time ahead. */
  readonly isBookable: boolean;
  /** '' for a root */
  readonly treePath: string;
  readonly labels: Labels;
  readonly blocks: readonly string[];
  /** The condition of its slots after a reservation. */
  readonly afterUse: AfterUse;
}

/** A slot that is held. */
export interface HeldSlot {
  readonly slot: string;
  readonly hold: Hold;
  /** The reservations of the first who hold it, if it is held SHARED. */
  readonly shares: readonly Hold[];
}

/** A resource or slot that a reservation takes along. */
export interface Along {
  readonly role: 'ancestor' | 'blocker';
  readonly name: string;
  /** 0: the name is not valid */
  readonly capacity: number;
  readonly held: number;
  /** Who holds it, if it has one slot; '' nobody. */
  readonly owner: string;
  /** Why no slot of it can be had, if that is why; null: it can, or all are held */
  readonly condition: NotReady | null;
}

export interface QueueTicket {
  /** The resource or slot in whose queue it stands. */
  readonly place: string;
  readonly request: WaitingRequest;
}

export interface ResourceState {
  /** The resource that the name means; null: it means none now */
  readonly resource: string | null;
  /** The slot, if the name is that of one slot of a pool. */
  readonly slot: string | null;
  /** Null if it is not registered. */
  readonly registered: Registered | null;
  /** The number of held slots. */
  readonly held: number;
  /** The number of slots that a request can have: free and ready. */
  readonly free: number;
  /** The numbers of slots of these conditions, held or not. */
  readonly outOfService: number;
  readonly dirty: number;
  /** The slots that are not ready, of those that were asked for. */
  readonly notReady: readonly SlotCondition[];
  /** The number of tickets that wait for it or one of its slots. */
  readonly waiting: number;
  /** The slots that are held, of those that were asked for. */
  readonly holds: readonly HeldSlot[];
  readonly plan: readonly Along[];
  /** The first in its queue, in order. */
  readonly queue: readonly QueueTicket[];
}

/**
 * @param name also of a slot, or a path
 * @param from the number of the first slot to read, of a pool
 * @param limit the most slots to read
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function resourceState(
  engine: Engine,
  credential: Credential,
  name: string,
  from: number,
  limit: number,
): Promise<ResourceState> {
  let read = from;
  const holds: HeldSlot[] = [];
  const notReady: SlotCondition[] = [];
  for (;;) {
    const args = [name, read, limit - (read - from)];
    const [head, blocks, held, covered, plan, queue, conditions] = await call(
      engine,
      'resource',
      credential,
      () => args,
    );
    const state = toState(parseItem(head), parseReply(blocks).map(toText));
    holds.push(...toHolds(parseReply(held)));
    notReady.push(...parseReply(conditions).map(toSlotCondition));
    read += Number(toText(covered));
    if (read >= Math.min(from + limit, state.registered?.capacity ?? 1) || toText(covered) === '0')
      return { ...state, holds, notReady, plan: parseReply(plan).map(toAlong), queue: toQueue(parseReply(queue)) };
  }
}

type Head = Omit<ResourceState, 'holds' | 'notReady' | 'plan' | 'queue'>;

function toState(head: readonly string[], blocks: readonly string[]): Head {
  const [resource = '', slot = '', isRegistered, capacity, kind, held, waiting, treePath = '', ...rest] = head;
  const [free, out, dirty, isDirtied, ...labels] = rest;
  return {
    resource: resource || null,
    slot: slot || null,
    held: toInteger(held),
    free: toInteger(free),
    outOfService: toInteger(out),
    dirty: toInteger(dirty),
    waiting: toInteger(waiting),
    registered:
      isRegistered === '1'
        ? {
            capacity: kind === '1' ? null : toInteger(capacity),
            isBookable: kind === '2',
            treePath,
            labels: decodeLabels(labels),
            blocks,
            afterUse: isDirtied === '1' ? 'dirty' : 'ready',
          }
        : null,
  };
}

function toHolds(texts: readonly unknown[]): HeldSlot[] {
  const found = new Map<string, HeldSlot & { shares: Hold[] }>();
  for (const { slot, hold } of texts.map(toSlotState)) {
    if (hold === null) continue;
    const shared = found.get(slot);
    if (shared === undefined) found.set(slot, { slot, hold, shares: [] });
    else shared.shares.push(hold);
  }
  return [...found.values()];
}

function toAlong(item: unknown): Along {
  const [role, name = '', capacity, held, owner = '', condition] = parseItem(item);
  return {
    role: role === 'ancestor' ? 'ancestor' : 'blocker',
    name,
    capacity: toInteger(capacity),
    held: toInteger(held),
    owner,
    condition: toNotReady(condition),
  };
}

function toQueue(values: readonly unknown[]): QueueTicket[] {
  const queue: QueueTicket[] = [];
  for (let i = 0; i < values.length; i += 2) queue.push({ place: toText(values[i]), request: toRow(values[i + 1]) });
  return queue;
}
