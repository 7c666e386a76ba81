/**
 * An instance attends the requests that wait at it (docs/specification.md#waiting-lifetimes). It beats: every few
 * seconds it says that it lives, and hears what it may have missed. And it says which of its calls have ended before
 * their time.
 */

import { HoldfastError } from '../../domain/errors.ts';
import { TIERS, type Tier } from '../../domain/tiers.ts';
import type { RedisClient } from '../../redis/client.ts';
import { keysOf } from '../../redis/keys.ts';
import { parseReply, toInteger, toText } from '../../redis/reply.ts';
import { runScript } from '../../redis/scripts.ts';
import type { Engine } from '../engine.ts';
import { endBacklog, pauseAfterPiece } from '../pace.ts';

export interface Beat {
  /** ms until something of the tenant is next due; -1: nothing is */
  readonly dueInMs: number;
  /** The tenant's number of resets so far. */
  readonly resets: string;
  /** True if Redis knew an earlier beat of this instance. If not, this is the first one, or Redis lost its data. */
  readonly isKnown: boolean;
  /** null: the tenant was deleted. */
  readonly tier: Tier | null;
  /** Tickets of long polls of this instance, which were granted and not claimed. */
  readonly granted: readonly string[];
}

/**
 * Ends what is due in a tenant, hands on what became free, and notes that an instance lives.
 * @throws HoldfastError unavailable
 */
export async function beat(engine: Engine, tenant: string, instance: string): Promise<Beat> {
  const keys = keysOf('beat', tenant);
  const [dueInMs, resets, known, tier, ...granted] = await untilDone(
    engine.redis,
    tenant,
    'beat',
    ...keys,
    '',
    instance,
  );
  return {
    dueInMs: toInteger(dueInMs),
    resets: toText(resets),
    isKnown: toInteger(known) === 1,
    tier: TIERS.find((one) => one === toText(tier)) ?? null,
    granted: granted.map(toText),
  };
}

/**
 * Ends what is due in a tenant, and hands on what became free.
 * @returns ms until something is next due; -1: nothing is
 * @throws HoldfastError unavailable
 */
export const look = async (engine: Engine, tenant: string): Promise<number> => (await beat(engine, tenant, '')).dueInMs;

/** Tickets that one call handles. */
const PAGE = 100;

/**
 * Ends an instance's calls for tickets. A ticket stays attended for its claimSeconds.
 * @throws HoldfastError unavailable
 */
export async function leave(
  engine: Engine,
  tenant: string,
  instance: string,
  tickets: readonly string[],
): Promise<void> {
  const keys = keysOf('leave', tenant);
  for (let from = 0; from < tickets.length; from += PAGE) {
    const page = tickets.slice(from, from + PAGE);
    await untilDone(engine.redis, tenant, 'leave', ...keys, '', instance, ...page);
  }
}

/** Time for which one call goes on, in ms. */
const MAX_MS = 2000;

/**
 * Calls a script that no caller asked for until it has done all that is due. It works in pieces: it answers AGAIN while
 * something is still due.
 * @param args its keys, then what it takes
 * @returns the reply after its code
 * @throws HoldfastError unavailable
 */
async function untilDone(
  redis: RedisClient,
  tenant: string,
  verb: 'beat' | 'leave',
  ...args: (string | number)[]
): Promise<unknown[]> {
  const endMs = performance.now() + MAX_MS;
  for (;;) {
    const [code, ...rest] = parseReply(await runScript(redis, verb, ...args));
    if (code === 'OK') {
      endBacklog(redis, tenant);
      return rest;
    }
    if (code !== 'AGAIN') throw new TypeError('a script of the queue returned an unknown code');
    if (!(await pauseAfterPiece(redis, tenant, endMs)))
      throw new HoldfastError('unavailable', 'Too much is due in the queue.');
  }
}
