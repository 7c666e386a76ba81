/**
 * The engine on a Redis of its own, which no instance adds calls or memory to, and the kinds of tickets that are
 * measured there.
 */
import { once } from 'node:events';
import { startRedis } from '../../scripts/redisServer.ts';
import type { ReserveItem, UnreserveItem } from '../../src/contract/reservations.ts';
import type { Credential } from '../../src/domain/tenants.ts';
import { DEFAULT_TIERS, UNLIMITED } from '../../src/domain/tiers.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { reserve } from '../../src/engine/reservations/reserve.ts';
import { transaction } from '../../src/engine/reservations/transaction.ts';
import { configuredLoader } from '../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import { createRedis, type RedisClient } from '../../src/redis/client.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { pin } from '../servers.ts';
import { makeTenant } from '../stage.ts';

/** The instance whose calls attend the tickets. It beats by beat() alone. */
export const INSTANCE = 'bench0000001';
/** Attended tickets are looked at again in this time, so none is while the others are issued. */
const CLAIM_SECONDS = 600;
const WAIT_SECONDS = 7200;
/** Tickets issued by one call. */
const ISSUED_AT_ONCE = 50;
const TIERS = { ...DEFAULT_TIERS, Enterprise: UNLIMITED };

/** Tickets of one kind. The first of them wait for one thing, in their order. */
export interface Kind {
  readonly what: string;
  readonly count: number;
  /** Longest time for which their calls may be held, in ms; 0: the tickets are detached. */
  readonly pollMs: number;
  /** The resources of a ticket. Several are a transaction. */
  readonly resources: (ticket: number) => readonly string[];
  /** Names that a holder has from the start. The first tickets wait for the first name. */
  readonly held: readonly string[];
  readonly maxBytes: number;
  /** The number of tickets that a large call issues; 1: each call issues one. */
  readonly batch: number;
}

/** The engine for two tenants: one that has tickets, and one that has none. */
export interface Queue {
  readonly redis: RedisClient;
  readonly engine: Engine;
  readonly full: Credential;
  readonly empty: Credential;
  /** Returns the engine at a later time. */
  later(byMs: number): Engine;
  stop(): Promise<void>;
}

/** Starts a Redis, on the core of the servers, which are idle meanwhile. */
export async function startQueue(say: (line: string) => void): Promise<Queue> {
  const server = await startRedis(say);
  pin(0, [server.pid]);
  const tenants = ['full', 'empty'].map(makeTenant);
  const [full, empty] = tenants.map(
    ({ tenant, key }): Credential => ({ tenant, credentialKey: digestOf(key), kind: 'key' }),
  );
  if (full === undefined || empty === undefined) throw new Error('no tenants');
  const clients: RedisClient[] = [];
  const connect = (replaced: Readonly<Record<string, string>>): Engine => {
    const redis = createRedis(server.url, (error) => say(error.message));
    clients.push(redis);
    defineScripts(redis, loadScripts(TIERS, replaced));
    return { redis, loadTenant: configuredLoader(redis, configuredTenants(tenants)), tiers: TIERS };
  };
  const engine = connect({});
  await once(engine.redis, 'ready');
  return {
    redis: engine.redis,
    engine,
    full,
    empty,
    later: (byMs) => connect({ 'frame/now': clockAhead(byMs) }),
    stop: async () => {
      for (const client of clients) client.disconnect();
      await server.stop();
    },
  };
}

/** A replacement of lua/frame/clock.lua. */
const clockAhead = (byMs: number) => `return function()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2] + ${byMs * 1000}
end`;

const wait = { waitSeconds: WAIT_SECONDS, claimSeconds: CLAIM_SECONDS };
const callOf = ({ pollMs }: Kind) => ({ instance: INSTANCE, pollMs, isContinuation: false });

function itemsOf(kind: Kind, ticket: number) {
  return kind.resources(ticket).map((resource) => ({ resource, requester: `waiter-${ticket}`, ttlSeconds: 3600 }));
}

/** Issues all tickets of a kind, in their order. */
export async function issueAll(queue: Queue, kind: Kind): Promise<void> {
  const atOnce = Math.min(ISSUED_AT_ONCE, kind.batch);
  for (let start = 0; start < kind.count; start += atOnce)
    if (atOnce > 1) await issueBatch(queue, kind, start, atOnce);
    else await requestSet(queue, kind, start, 'WAITING');
}

/** Issues tickets for single resources by one call. */
export async function issueBatch(queue: Queue, kind: Kind, start: number, count: number): Promise<void> {
  const items = Array.from({ length: count }, (_, i) => itemsOf(kind, start + i)).flat();
  await requestItems(queue, kind, items, 'WAITING');
}

/** Claims the grant of a ticket. Returns what it holds. */
export async function claim(queue: Queue, kind: Kind, ticket: number): Promise<readonly UnreserveItem[]> {
  const items = itemsOf(kind, ticket);
  return items.length === 1 ? requestItems(queue, kind, items, 'ACQUIRED') : requestSet(queue, kind, ticket, 'APPLIED');
}

async function requestItems({ engine, full }: Queue, kind: Kind, items: readonly ReserveItem[], wanted: string) {
  const waiting = items.map((item) => ({ ...item, ...wait }));
  const { result } = await reserve(engine, full, waiting, callOf(kind));
  const other = result.find(({ status }) => status !== wanted);
  if (other !== undefined) throw new Error(`${other.resource} is ${other.explanation}, not ${wanted}`);
  return result;
}

async function requestSet({ engine, full }: Queue, kind: Kind, ticket: number, wanted: string) {
  const items = itemsOf(kind, ticket).map((item) => ({ ...item, requestType: 'RESERVE' as const }));
  const { result } = await transaction(engine, full, 'ALL_OR_NONE', items, { wait, call: callOf(kind) });
  if (result.status !== wanted) throw new Error(`the set of ticket ${ticket} is ${result.status}, not ${wanted}`);
  return result.results.map(({ resource, requester, ...rest }) => ({
    resource,
    requester,
    releaseToken: 'releaseToken' in rest ? rest.releaseToken : null,
  }));
}
