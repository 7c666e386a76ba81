/** Reserves what has plans of more than one slot: pools, trees, blockers, shared holds, and whatever fits a match. */
import type { ReserveItem } from '../../../src/contract/reservations.ts';
import { textOfMatch } from '../../../src/domain/reservations.ts';
import { PLAIN, SHIFTING } from '../things.ts';
import type { Caller } from './caller.ts';
import { holdAndRelease, lease, take } from './holding.ts';

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
