/**
 * Runs scripts that no caller asked for. Such a script works in pieces: it answers AGAIN while something is still due.
 */
import { HoldfastError } from '../../domain/errors.ts';
import type { RedisClient } from '../../redis/client.ts';
import { parseReply } from '../../redis/reply.ts';
import { runScript } from '../../redis/scripts.ts';
import { endBacklog, pauseAfterPiece } from '../pace.ts';

/** How long one call goes on, in ms. */
const MAX_MS = 2000;

/**
 * Calls a script until it has done all that is due.
 * @param args its keys, then what it takes
 * @returns the reply after its code
 * @throws HoldfastError unavailable
 */
export async function untilDone(
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
