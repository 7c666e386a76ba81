/** Reserves and releases several things in one step, and hands over from one to the next. */
import type {
  ReserveItem,
  Transaction,
  TransactionItem,
  TransactionResult,
} from '../../../src/contract/reservations.ts';
import { textOfMatch } from '../../../src/domain/reservations.ts';
import { PLAIN, SHIFTING } from '../things.ts';
import type { Caller, Manner } from './caller.ts';
import { type Held, heldBy, holdAndRelease, lease, release, sometimesKeyed, take } from './holding.ts';

/** Draws so many different names of one slot. */
export function someNames({ random }: Caller, count: number): string[] {
  const left: string[] = [...PLAIN];
  return Array.from({ length: count }, () => left.splice(random.between(0, left.length - 1), 1)).flat();
}

/** Returns what the items of a transaction that reserve have got. */
export function heldIn({ requests }: Transaction, response: TransactionResult | null): Held[] {
  return (response?.results ?? []).flatMap((result, i) => {
    const item = requests[i];
    if (item?.requestType !== 'RESERVE' || !('releaseToken' in result)) return [];
    return heldBy(result, item.ttlSeconds) ?? [];
  });
}

async function carryOut(caller: Caller, transaction: Transaction, manner: Manner = {}): Promise<Held[]> {
  return heldIn(transaction, (await caller.ask('transaction', transaction, manner)).response);
}

const reserve = (resource: string, requester: string, ttlSeconds: number): TransactionItem => ({
  requestType: 'RESERVE',
  resource,
  requester,
  ttlSeconds,
});

/** Walks over some names hand over hand: it holds the next one before it lets go of the last. */
export async function handOverHand(caller: Caller): Promise<void> {
  const requester = caller.requester();
  const [first = '', ...others] = someNames(caller, 3);
  let held = await take(caller, { resource: first, requester, ttlSeconds: caller.random.between(2, 6) });
  for (const next of others) {
    const [last] = held;
    if (last === undefined) return;
    const { resource, releaseToken } = last;
    const requests: TransactionItem[] = [
      { requestType: 'UNRESERVE', resource, requester, releaseToken },
      reserve(next, requester, caller.random.between(2, 6)),
    ];
    const manner = caller.random.chance(0.7) ? { idempotencyKey: caller.idempotencyKey() } : {};
    const moved = await carryOut(caller, { method: 'ALL_OR_NONE', requests }, manner);
    // Where it did not come true, or nobody knows, the last one may still be held.
    if (moved.length === 0) await release(caller, held);
    held = moved;
  }
  await holdAndRelease(caller, held);
}

/** Reserves several names: all of them, the first that is free, or as many as there are. */
export async function together(caller: Caller): Promise<void> {
  const { random } = caller;
  const requester = caller.requester();
  const method = random.pick(['ALL_OR_NONE', 'FIRST', 'AS_MANY_AS_POSSIBLE'] as const);
  const names = [...someNames(caller, random.between(2, 3)), ...(random.chance(0.3) ? ['pool'] : [])];
  const ttlSeconds = random.between(1, 4);
  const requests = names.map((name) => reserve(name, requester, ttlSeconds));
  await holdAndRelease(caller, await carryOut(caller, { method, requests }));
}

/** Gives something back and takes others, each on its own. */
export async function exchange(caller: Caller): Promise<void> {
  const requester = caller.requester();
  const [one = '', ...others] = someNames(caller, 3);
  const [held] = await take(caller, { resource: one, requester, ttlSeconds: 5 });
  if (held === undefined) return;
  const { resource, releaseToken } = held;
  const requests: TransactionItem[] = [
    ...others.map((name) => reserve(name, requester, 3)),
    { requestType: 'UNRESERVE', resource, requester, releaseToken },
  ];
  await holdAndRelease(caller, await carryOut(caller, { method: 'AS_MANY_AS_POSSIBLE', requests }));
}

/** Reserves what has plans of more than one slot: pools, trees, blockers, shared holds, and whatever fits a match. */

const PHONES = { kind: 'phone' };
/** The item of a request for any phone. */
export const PHONE = { resource: textOfMatch(PHONES), match: PHONES };

const LEAVES = ['leaf0', 'leaf1', 'leaf2', 'branch', 'root', 'root>branch>leaf0'] as const;

type Wanted = Pick<ReserveItem, 'resource' | 'count' | 'mode' | 'match'>;

/** Draws something that is registered. */
export function registered({ random }: Caller): Wanted {
  const [pool, slots] = random.chance(0.5) ? (['pool', 3] as const) : (['wide', 8] as const);
  const drawn = random.next();
  if (drawn < 0.2) return { resource: pool };
  if (drawn < 0.35) return { resource: pool, count: random.between(2, random.chance(0.2) ? slots : 3) };
  if (drawn < 0.5) return { resource: `${pool}_${random.between(0, slots - 1)}` };
  if (drawn < 0.75) return { resource: random.pick(LEAVES) };
  if (drawn < 0.85) return { resource: random.pick(['crane0', 'crane1', 'rail']) };
  return random.chance(0.6) ? PHONE : { resource: random.pick(SHIFTING) };
}

/** Reserves something that is registered, holds it for a moment and gives it back. */
export async function planned(caller: Caller): Promise<void> {
  const item = { ...registered(caller), requester: caller.requester(), ...lease(caller) };
  await holdAndRelease(caller, await take(caller, item));
}

/** The same of several things by one requester, in one call. */
export async function batch(caller: Caller): Promise<void> {
  const requester = caller.requester();
  const wanted = [registered(caller), registered(caller), { resource: caller.random.pick(PLAIN) }];
  const leased = lease(caller);
  await holdAndRelease(caller, await take(caller, ...wanted.map((one) => ({ ...one, requester, ...leased }))));
}

/** Takes one slot together with others, or keeps them out. */
export async function shared(caller: Caller): Promise<void> {
  const { random } = caller;
  const mode = random.chance(0.8) ? 'SHARED' : 'EXCLUSIVE';
  const resource = random.pick(['docs', 'docs', 'wide_7', random.pick(PLAIN)]);
  await holdAndRelease(caller, await take(caller, { resource, mode, requester: caller.requester(), ...lease(caller) }));
}

/** Keeps several reservations by one session, and ends it or lets it expire. */

const TTL_SECONDS = 5;

/** Names that only sessions reserve, which hold them for longer than others hold theirs. */
const SESSION_NAMES = ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7'] as const;

export async function holdBySession(caller: Caller): Promise<void> {
  const { random } = caller;
  const requester = caller.requester();
  const begun = await caller.ask('beginSession', { requester, ttlSeconds: TTL_SECONDS }, sometimesKeyed(caller));
  if (begun.response === null) return;
  const { session, token } = begun.response;
  const names = [random.pick(SESSION_NAMES), ...(random.chance(0.3) ? someNames(caller, 1) : [])];
  const held = await take(caller, ...names.map((resource) => ({ resource, requester, session })));
  const later = { resource: random.pick(SESSION_NAMES), requester, session, waitSeconds: 2 };
  if (random.chance(0.4)) await caller.ask('reserve', [later], { pollSeconds: 1 });
  for (let left = random.between(0, 4); left > 0 && !caller.shift.isOver; left--) {
    await caller.pause(200, 1500);
    const { response } = await caller.ask('renewSession', { session, token }, sometimesKeyed(caller));
    if (response?.status === 'NOT_FOUND') return;
  }
  if (random.chance(0.2)) await release(caller, held.slice(0, 1));
  if (random.chance(0.7)) await caller.ask('endSession', { session, token }, sometimesKeyed(caller));
}
