/**
 * Writes ended reservations and waits into a tenant's stream, at chosen times, in the form of lua/history/ended.lua.
 * The scripts write them at the time of the end.
 */

import { sql } from 'drizzle-orm';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import { DEFAULT_TIERS, type TierLimits } from '../../src/domain/tiers.ts';
import type { RedisClient } from '../../src/redis/client.ts';
import { historyKey } from '../../src/redis/keys.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { send } from '../../src/redis/send.ts';
import { rowsOf } from '../../src/store/db.ts';
import { historyInDatabase } from '../../src/store/history.ts';
import { type MoveOptions, moveHistory } from '../../src/store/moveHistory.ts';
import { KINDS, makeStore, type OwnStore } from './tenancy.ts';
import { until } from './until.ts';

export interface Past {
  readonly resource: string;
  /** A slot of the resource, if it is a pool. */
  readonly slot?: string;
  /** All slots, if there are several. */
  readonly slots?: readonly string[];
  readonly requester?: string;
  /** ms since 1970 UTC; left out: a wait that came to nothing */
  readonly reservedAt?: number;
  readonly endedAt: number;
  readonly waitedMs?: number;
  /** True if it was out of service. */
  readonly isOutOfService?: true;
}

let fence = 1;

/** Adds entries. */
export async function addPast(redis: RedisClient, tenant: string, entries: readonly Past[]): Promise<void> {
  for (let i = 0; i < entries.length; i += 1000) {
    const pipeline = redis.pipeline();
    for (const entry of entries.slice(i, i + 1000)) {
      pipeline.xadd(historyKey(tenant), '*', ...fieldOf(entry));
    }
    for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
  }
}

function fieldOf(entry: Past): [string, string | Buffer] {
  if (entry.isOutOfService) return ['O', timeOutOf(entry)];
  return entry.reservedAt === undefined ? ['W', waitOf(entry)] : ['R', reservationOf(entry)];
}

const timeOutOf = ({ resource, slot = resource, requester = 'q', reservedAt, endedAt }: Past) =>
  JSON.stringify({
    number: fence++,
    resource,
    slot,
    since: reservedAt,
    at: endedAt,
    requester,
    actor: 'person:ann@example.com',
    reason: 'fan loud',
  });

const waitOf = ({ resource, requester = 'q', endedAt, waitedMs = 0 }: Past) =>
  JSON.stringify({
    number: fence++,
    resource,
    requester,
    type: '',
    label: '',
    mode: 'EXCLUSIVE',
    since: endedAt - waitedMs,
    at: endedAt,
    ending: 'ELAPSED',
  });

/** The record has the full form of lua/slots/codec.lua. */
function reservationOf({ resource, slot = resource, slots, requester = 'q', ...times }: Past): Buffer {
  const text = (value: string) => Buffer.from(`${value}\0`);
  const integer = (value: number, bytes: number) => {
    const buffer = Buffer.alloc(8);
    buffer.writeBigUInt64BE(BigInt(value));
    return buffer.subarray(8 - bytes);
  };
  const { reservedAt = 0, endedAt, waitedMs } = times;
  const extras = waitedMs === undefined ? {} : { x: { waited: waitedMs } };
  const details = JSON.stringify({ ...extras, ...(slots === undefined ? {} : { o: slots }) });
  return Buffer.concat([
    Buffer.from(`${slot}\n${endedAt} \n\x03`),
    integer(1, 4),
    text(requester),
    text(slot === resource ? '' : resource),
    Buffer.from([0]),
    integer(fence++, 7),
    integer(reservedAt, 6),
    integer(0, 6),
    Buffer.from('x'.repeat(22)),
    text(''),
    text(''),
    text(resource),
    text(''),
    text(details === '{}' ? '' : details),
  ]);
}

/**
 * A database with the history of tenants, a Redis of its own, since workers of other tests would move entries to their
 * database, and what tests look at in it.
 */

/** The default tiers, with other limits for Starter. */
export const tiersWith = (limits: Partial<TierLimits>) => ({
  ...DEFAULT_TIERS,
  Starter: { ...DEFAULT_TIERS.Starter, ...limits },
});

/** To be called at the top of a test file, or of a describe. */
export function useHistoryStore(makeKind = KINDS.Postgres) {
  let server: RedisServer;
  let store: OwnStore;
  beforeAll(async () => {
    server = await startRedis(() => {});
    store = await makeStore({ make: makeKind, redisUrl: server.url });
    defineScripts(store.redis, loadScripts(DEFAULT_TIERS));
    await until('Redis', () => send(() => store.redis.ping()).catch(() => null));
  });
  afterAll(async () => {
    await store.close();
    await server.stop();
  });
  const rows = async (query: ReturnType<typeof sql>) =>
    z.array(z.record(z.string(), z.unknown())).parse(rowsOf(await store.database.run((db) => db.execute(query))));
  return {
    get url() {
      return store.url;
    },
    get redisUrl() {
      return server.url;
    },
    get store() {
      return store;
    },
    rows,
    /** Moves all that a tenant has in Redis. */
    move: (tenant: string, options: Partial<MoveOptions> = {}) =>
      moveHistory(store, tenant, { tiers: DEFAULT_TIERS, maxBatches: 100, ...options }),
    /** The numbers of the entries that a tenant's pages show, the latest first. */
    numbersOf: async (tenant: string, tiers = DEFAULT_TIERS, clock = Date.now) => {
      const { entries } = await historyInDatabase(store, tiers, clock).page(tenant, {}, undefined, 100_000);
      return entries.map(({ number }) => number);
    },
    /** Number of entries that the database has of a tenant, shown or not. */
    countOf: async (tenant: string) => {
      const [row] = await rows(sql`
        select count(*)::int as n from history join history_owners on id = owner where tenant_id = ${tenant}`);
      return row?.n;
    },
  };
}

/**
 * Long histories, written directly into a tenant's stream in the form of lua/history/ended.lua: ten reservations in
 * each entry, as a batch leaves them.
 */

/** A name of 512 bytes. */
export const longName = (i: number): string => `${i}-`.padEnd(12, 'x') + 'é'.repeat(250);
const NOTE = '🎉'.repeat(500);

/** More bytes than any reservation has that addIn() adds. */
export const LONGEST = 4000;

/** A released reservation of the full form of lua/slots/codec.lua. */
function released(number: number, at: number, isLong: boolean): Buffer {
  const resource = isLong ? longName(number) : `printer-${number}`;
  const integers = Buffer.alloc(19);
  // 7 bytes for the fencing token, 6 for each of the times.
  integers.writeUIntBE(number, 1, 6);
  integers.writeUIntBE(at - 1000, 7, 6);
  const head = Buffer.from(`${resource}\n${at} \n\u0003\0\0\0\u0001me\0\0\0`);
  const details = isLong ? JSON.stringify({ x: { note: NOTE } }) : '';
  return Buffer.concat([head, integers, Buffer.from(`${'x'.repeat(22)}\0\0${resource}\0\0${details}\0`)]);
}

/** Adds reservations that ended a moment ago, numbered from 1. */
export async function addIn(redis: RedisClient, tenant: string, count: number, { isLong = false } = {}): Promise<void> {
  const at = Date.now() - 1000;
  const pipeline = redis.pipeline();
  for (let i = 0; i < count; i += 10) {
    const fields = Array.from({ length: 10 }, (_, j) => ['R', released(i + j + 1, at, isLong)]).flat();
    pipeline.xadd(historyKey(tenant), '*', ...fields);
  }
  for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
}
