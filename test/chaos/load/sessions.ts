/** Keeps several reservations by one session, and ends it or lets it expire. */
import type { Caller } from './caller.ts';
import { release, sometimesKeyed, take } from './holding.ts';
import { someNames } from './transactions.ts';

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
