/**
 * Writes what a reset ended into the history, in pieces: the reset itself takes constant time and only puts it aside.
 */

import { KEPT_ENTRIES } from '../../domain/history.ts';
import type { RedisClient } from '../../redis/client.ts';
import { keysOf } from '../../redis/keys.ts';
import { parseReply, toInteger, toText } from '../../redis/reply.ts';
import { runScript } from '../../redis/scripts.ts';

/**
 * @param room entries that the history may have before a piece is added: beyond it, the newest would displace entries
 * that nobody has moved yet
 * @param most entries to write; what is left then is dropped. Infinity: all
 * @returns whether nothing is left: false if the history is full
 * @throws HoldfastError unavailable
 */
export async function keepReset(
  redis: RedisClient,
  tenant: string,
  { room, most }: { readonly room: number; readonly most: number },
): Promise<boolean> {
  let cursor = '0';
  for (let written = 0; cursor !== ''; ) {
    const args = [cursor, room, written >= most ? '1' : ''];
    const [, next, count] = parseReply(await runScript(redis, 'keepReset', ...keysOf('keepReset', tenant), ...args));
    const isFull = toText(next) === cursor && toInteger(count) === 0;
    if (isFull) return false;
    cursor = toText(next);
    written += toInteger(count);
  }
  return true;
}

/**
 * Writes what a reset ended into a history of which only the newest entries are kept: it may displace older ones.
 * @throws HoldfastError unavailable
 */
export async function keepNewest(redis: RedisClient, tenant: string): Promise<void> {
  await keepReset(redis, tenant, { room: Number.MAX_SAFE_INTEGER, most: KEPT_ENTRIES });
}
