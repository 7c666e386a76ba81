/** What callers of every verb do, and how often. */
import type { Random } from '../random.ts';
import type { Caller } from './caller.ts';
import { makeAndDelete, redefine } from './definitions.ts';
import { plain } from './plain.ts';
import { batch, planned, shared } from './plans.ts';
import { look } from './reads.ts';
import { holdBySession } from './sessions.ts';
import { exchange, handOverHand, together } from './transactions.ts';
import { waitForOne, waitForSeveral } from './waiting.ts';

type Act = (caller: Caller) => Promise<void>;

/** Each with its share. Those of the second list need FIXED. */
const ALWAYS: readonly (readonly [number, Act])[] = [
  [30, plain],
  [6, shared],
  [5, handOverHand],
  [6, together],
  [3, exchange],
  [14, waitForOne],
  [4, waitForSeveral],
  [5, holdBySession],
  [10, look],
];
const WITH_FIXED: readonly (readonly [number, Act])[] = [
  [20, planned],
  [5, batch],
  [3, redefine],
  [1, makeAndDelete],
];

function draw(acts: readonly (readonly [number, Act])[], random: Random): Act {
  let left = random.next() * acts.reduce((sum, [share]) => sum + share, 0);
  const found = acts.find(([share]) => {
    left -= share;
    return left < 0;
  });
  return found?.[1] ?? plain;
}

/** Does one thing after the other, until the load ends. */
export async function workThrough(caller: Caller): Promise<void> {
  const { shift, random } = caller;
  while (!shift.isOver) {
    await draw(shift.isRegistered ? [...ALWAYS, ...WITH_FIXED] : ALWAYS, random)(caller);
    await caller.repeatAnswered();
    caller.forget();
    await caller.pause(0, 60);
  }
}
