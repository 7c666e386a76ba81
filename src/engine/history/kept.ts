/**
 * The history without a database: the newest entries of each tenant, in Redis (docs/specification.md#history).
 */
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import type { History } from '../../domain/history.ts';
import type { RedisClient } from '../../redis/client.ts';
import { keepNewest } from './keepReset.ts';
import { keptUsage } from './keptUsage.ts';
import { NEWEST, type Place, readPiece } from './pieces.ts';

/** Where the next page begins. */
const Cursor = z
  .string()
  .regex(/^\d{1,15}-\d{1,15}\.\d{1,2}$/)
  .transform((text): Place => {
    const [id = '', field] = text.split('.');
    return { id, field: Number(field) };
  });

const cursorOf = ({ id, field }: Place): string => `${id}.${field}`;

export const keptHistory = (redis: RedisClient): History => ({
  page: async (tenant, filter, cursor, limit) => {
    const begin = cursor === undefined ? NEWEST : Cursor.safeParse(cursor).data;
    if (begin === undefined) throw new HoldfastError('refused', 'cursor must be one that this listing returned.');
    // Until then, the reservations that a reset ended are put aside.
    if (cursor === undefined) await keepNewest(redis, tenant);
    // One more says whether there is another page.
    const { found, next } = await readPiece(redis, tenant, filter, begin, limit + 1);
    const entries = found.slice(0, limit).map(({ entry }) => entry);
    const after = found.length > limit ? (found[limit - 1]?.place ?? null) : next;
    return { entries, next: after === null ? null : cursorOf(after) };
  },
  keepReset: (tenant) => keepNewest(redis, tenant),
  ...keptUsage(redis),
});
