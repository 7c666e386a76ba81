/**
 * What the database is told of bookings in Redis, and what Redis gets back from it
 * (docs/specification.md#where-bookings-live).
 */
import { HoldfastError } from '../domain/errors.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import { asService } from '../domain/tenants.ts';
import type { RedisClient } from '../redis/client.ts';
import { bookingChangesKey, idempotencyKey, keysOf, keysOfRequest, tenantKey } from '../redis/keys.ts';
import { readHot } from '../redis/layouts.ts';
import { parseReply, toInteger, toText } from '../redis/reply.ts';
import { runScript } from '../redis/scripts.ts';
import { send } from '../redis/send.ts';
import { connectionTo } from '../redis/topology.ts';
import { LEASE_MS } from './definitions/copy.ts';
import { endBacklog, pauseAfterPiece } from './pace.ts';

/** A booking, as Redis has it or had it. */
export interface BookingCopy {
  /** In its stored form, of 22 characters (reservations/releaseToken.ts). */
  readonly id: string;
  /** Grows with each change, in ms. */
  readonly revision: number;
  /** ms since 1970 UTC; null: not known, since it is over */
  readonly endsAtMs: number | null;
  /** As Redis has it (lua/bookings/records.lua); null: it is over */
  readonly record: string | null;
}

/**
 * Reads bookings that have changed since they were copied.
 * @param which how many at most; or the ids of those to read, in their stored form
 * @throws HoldfastError unavailable
 */
export async function bookingChanges(
  redis: RedisClient,
  tenant: string,
  which: number | readonly string[],
): Promise<BookingCopy[]> {
  const args = typeof which === 'number' ? [which] : ['of', ...which];
  const [, ...parts] = parseReply(
    await runScript(redis, 'bookingChanges', ...keysOf('bookingChanges', tenant), ...args),
  );
  const changes: BookingCopy[] = [];
  for (let i = 0; i < parts.length; i += 4) {
    const [id, revision, end, record] = parts.slice(i, i + 4);
    const endsAtMs = end === '' ? null : toInteger(end) * 1000;
    changes.push({ id: toText(id), revision: toInteger(revision), endsAtMs, record: toText(record) || null });
  }
  return changes;
}

/**
 * Notes that changes were copied.
 * @returns how many are no longer noted: those that have changed since then stay, and while the tenant's bookings are
 * restored those that are over
 * @throws HoldfastError unavailable
 */
export async function dropBookingChanges(
  redis: RedisClient,
  tenant: string,
  copied: readonly BookingCopy[],
): Promise<number> {
  if (copied.length === 0) return 0;
  const args = copied.flatMap(({ id, revision }) => [id, revision]);
  const keys = keysOf('dropBookingChanges', tenant);
  const [, dropped] = parseReply(await runScript(redis, 'dropBookingChanges', ...keys, ...args));
  return toInteger(dropped);
}

/**
 * Notes all bookings of a tenant as changed, so that they are copied. Those that a reset has ended are removed.
 * @throws HoldfastError unavailable
 */
export async function logBookings(redis: RedisClient, tenant: string): Promise<void> {
  let cursor = '0';
  do {
    const reply = await runScript(redis, 'logBookings', ...keysOf('logBookings', tenant), cursor);
    cursor = toText(parseReply(reply)[1]);
  } while (cursor !== '0');
}

/** The bookings that one call restores: some ms of Redis. */
const RESTORED = 50;

/**
 * Brings bookings in Redis to the state of their copies, if that is newer.
 * @param lease that of the copy of the definitions (definitions/copy.ts)
 * @returns when something of the tenant is due, in ms since 1970 UTC, -1: nothing is; null if the lease was lost
 * @throws HoldfastError unavailable
 */
export async function restoreBookings(
  redis: RedisClient,
  tenant: string,
  lease: string,
  copies: readonly BookingCopy[],
): Promise<number | null> {
  let dueMs = -1;
  for (let i = 0; i < copies.length; i += RESTORED) {
    const args = copies.slice(i, i + RESTORED).flatMap(({ id, revision, record }) => [id, revision, record ?? '']);
    const [code, due] = await untilDone(redis, 'restoreBookings', tenant, keysOf('restoreBookings', tenant), [
      lease,
      LEASE_MS,
      ...args,
    ]);
    if (code === 'LOST') return null;
    dueMs = toInteger(due);
  }
  return dueMs;
}

/**
 * Takes back bookings that could not be written to the database.
 * @param ids in their stored form
 * @param idempotency the Idempotency-Key of their request, if it had one: a repeat books anew
 * @throws HoldfastError unavailable
 */
export async function takeBackBookings(
  redis: RedisClient,
  tenant: string,
  ids: readonly string[],
  idempotency: Idempotency | undefined,
): Promise<void> {
  const own = idempotency === undefined ? '' : idempotencyKey(idempotency.key);
  const keys = keysOfRequest('takeBackBookings', asService(tenant), own);
  await untilDone(redis, 'takeBackBookings', tenant, keys, [own === '' ? '' : 1, ...ids]);
}

/** Time for which one call goes on, in ms. */
const MAX_MS = 2000;

/** Calls a script until it has done all that is due. Returns its reply. */
async function untilDone(
  redis: RedisClient,
  verb: 'restoreBookings' | 'takeBackBookings',
  tenant: string,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown[]> {
  const endMs = performance.now() + MAX_MS;
  for (;;) {
    const reply = parseReply(await runScript(redis, verb, ...keys, '', ...args));
    if (reply[0] !== 'AGAIN') {
      endBacklog(redis, tenant);
      return reply;
    }
    if (!(await pauseAfterPiece(redis, tenant, endMs))) throw new HoldfastError('unavailable', 'Too much is due.');
  }
}

/** The field with the state of Redis in which the tenant's bookings were last compared with the database. */
const COMPARED = 'bookingsCompared';

/** Returns true if bookings of a tenant have changed since they were copied. @throws HoldfastError unavailable */
export const hasBookingChanges = async (redis: RedisClient, tenant: string): Promise<boolean> =>
  (await send(() => redis.exists(bookingChangesKey(tenant)))) === 1;

/** How the copies of a tenant's bookings stand. */
export interface CopyState {
  /** False if Redis does not have the tenant. */
  readonly isLoaded: boolean;
  /**
   * The history of Redis's data, the resets of the tenant, and the restores of the database: another state if one of
   * the two may have lost writes, or a reset has ended bookings.
   */
  readonly now: string;
  /** The state in which bookings were last compared; null: never */
  readonly compared: string | null;
  /** Whether bookings have changed since they were copied. */
  readonly hasChanges: boolean;
}

/**
 * Reads how the copies of a tenant's bookings stand.
 * @param histories keeps what a primary has said, for as long as its caller looks at tenants
 * @throws HoldfastError unavailable
 */
export async function copyState(
  redis: RedisClient,
  tenant: string,
  histories: Map<unknown, Promise<string>>,
): Promise<CopyState> {
  const key = tenantKey(tenant);
  const primary = connectionTo(redis, key);
  if (primary === undefined) throw new HoldfastError('unavailable', 'The reservation store cannot be reached.');
  const history = histories.get(primary) ?? send(() => primary.info('replication')).then(historyOf);
  histories.set(primary, history);
  const now = await history;
  const [[hot, resets, version, compared], hasChanges] = await Promise.all([
    send(() => redis.hmgetBuffer(key, 'hot', 'resets', 'version', COMPARED)),
    hasBookingChanges(redis, tenant),
  ]);
  return {
    isLoaded: readHot(hot).tier !== 0,
    now: [now, resets?.toString() ?? 0, Math.floor(Number(version ?? 0) / RESTORED_BY)].join(' '),
    compared: compared?.toString() ?? null,
    hasChanges,
  };
}

/** A restore of the database raises the versions of all tenants by so much (docs/operations/backup.md). */
const RESTORED_BY = 1_000_000;

/** A primary that is promoted, or starts again, has another id of replication. */
const historyOf = (info: string): string => /^master_replid:(\w+)/m.exec(info)?.[1] ?? '';

/** Notes in which state a tenant's bookings were compared. @throws HoldfastError unavailable */
export const noteCompared = (redis: RedisClient, tenant: string, state: CopyState): Promise<unknown> =>
  send(() => redis.hset(tenantKey(tenant), COMPARED, state.now));
