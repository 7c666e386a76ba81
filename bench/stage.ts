/**
 * Starts everything that families of scenarios share: a Redis, the service as in production (with keys, limits, logs
 * and metrics), the ceiling, and the engine without HTTP, in this process, on the same Redis.
 */

import { type RedisServer, startRedis } from '../scripts/redisServer.ts';
import type { Credential } from '../src/domain/tenants.ts';
import { DEFAULT_TIERS, type TierTable } from '../src/domain/tiers.ts';
import type { Engine } from '../src/engine/engine.ts';
import { configuredLoader } from '../src/engine/tenant/record.ts';
import { type ConfiguredKey, configuredTenants } from '../src/identity/configured.ts';
import { digestOf, makeKey } from '../src/identity/credentials.ts';
import { createRedis, type RedisClient } from '../src/redis/client.ts';
import { defineScripts, loadScripts } from '../src/redis/scripts.ts';
import { Connection } from './client.ts';
import { type Load, load } from './load.ts';
import { cycle, reserveOne } from './requests.ts';
import { pin, pinApart, type RunningServer, SERVICE, startServer, stopServers } from './servers.ts';

/** Limits that are never reached here, but are charged and reported in headers. */
const LIMITS = {
  writesPerMinute: 1e9,
  writesPerDay: 1e12,
  readsPerMinute: 1e9,
  reservations: 1e9,
  eventConnections: 1e9,
  definitions: 1e9,
};
const TIERS: TierTable = { ...DEFAULT_TIERS, Enterprise: { ...DEFAULT_TIERS.Enterprise, ...LIMITS } };

/** A tenant and its key. */
export const makeTenant = (tenant: string): ConfiguredKey => ({ key: makeKey(tenant), tenant, tier: 'Enterprise' });

/** Returns the header lines that identify the tenant. */
export const headOf = ({ key }: ConfiguredKey): string =>
  `Host: 127.0.0.1\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\n`;

/** Returns the environment of an instance with these tenants. */
export const envOf = ({ url }: RedisServer, tenants: readonly ConfiguredKey[]): Readonly<Record<string, string>> => ({
  REDIS_URL: url,
  METRICS_PORT: '0',
  TIERS: JSON.stringify({ Enterprise: LIMITS }),
  API_KEYS: JSON.stringify(tenants),
});

export interface Stage {
  /** Called with a line of text about the progress. */
  readonly say: (line: string) => void;
  readonly redisServer: RedisServer;
  /** A client with the scripts. */
  readonly redis: RedisClient;
  /** The environment of instances. */
  readonly env: Readonly<Record<string, string>>;
  readonly service: RunningServer;
  /** Servers that answer from memory (ceiling.ts): with the service's framework, and without one. */
  readonly ceiling: RunningServer;
  readonly bareNode: RunningServer;
  /** The tenant of scenarios that need one. */
  readonly tenant: ConfiguredKey;
  /** A thousand other tenants. */
  readonly tenants: readonly ConfiguredKey[];
  readonly engine: Engine;
  readonly credential: Credential;
  /** Ends all servers. */
  strike(): Promise<void>;
}

/** Starts everything: the servers on one core, load and Redis on another. */
export async function setStage(say: (line: string) => void): Promise<Stage> {
  const tenant = makeTenant('bench');
  const tenants = Array.from({ length: 1000 }, (_, i) => makeTenant(`tenant-${i}`));
  const redisServer = await startRedis(say);
  const env = envOf(redisServer, [tenant, ...tenants]);
  const service = await startServer(SERVICE, env);
  const ceiling = await startServer('bench/ceiling.ts', { CEILING: 'hono' });
  const bareNode = await startServer('bench/ceiling.ts', { CEILING: 'node' });
  pinApart([service.pid, ceiling.pid, bareNode.pid], [process.pid, redisServer.pid]);
  const redis = createRedis(redisServer.url, (error) => say(error.message));
  defineScripts(redis, loadScripts(TIERS));
  const stage: Stage = {
    say,
    redisServer,
    redis,
    env,
    service,
    ceiling,
    bareNode,
    tenant,
    tenants,
    engine: { redis, loadTenant: configuredLoader(redis, configuredTenants([tenant])), tiers: TIERS },
    credential: { tenant: tenant.tenant, credentialKey: digestOf(tenant.key), kind: 'key' },
    strike: async () => {
      redis.disconnect();
      await stopServers();
      await redisServer.stop();
    },
  };
  // A warm-up, so that both are compiled.
  for (const server of [ceiling, bareNode]) await loadOver(stage, server, 64, (one) => reserveOne(one));
  for (const size of [1, 50]) await loadOver(stage, service, 16, (one) => cycle(one, size));
  await resetAll(stage, [tenant]);
  return stage;
}

/**
 * Runs a number of connections to the service or the ceiling for a round.
 * @param work repeated on each connection, which is passed with its number
 * @param tenant the caller
 */
export async function loadOver(
  stage: Stage,
  server: RunningServer,
  connections: number,
  work: (connection: Connection, number: number) => Promise<unknown>,
  tenant = stage.tenant,
): Promise<Load> {
  const opened = Array.from({ length: connections }, () => new Connection(server.port, headOf(tenant)));
  const watched = { server: server.pid, redis: stage.redisServer.pid };
  const result = await load(
    opened.map((connection, number) => () => work(connection, number)),
    watched,
  );
  for (const connection of opened) connection.close();
  return result;
}

/** Gives Redis a core of its own meanwhile. The service shares that of the load. */
export async function straight<T>({ redisServer, service }: Stage, measure: () => Promise<T>): Promise<T> {
  pin(1, [service.pid]);
  pin(0, [redisServer.pid]);
  try {
    return await measure();
  } finally {
    pin(1, [redisServer.pid]);
    pin(0, [service.pid]);
  }
}

/** Registers resources of a tenant. */
export async function register(
  { service }: Stage,
  tenant: ConfiguredKey,
  items: readonly {
    name: string;
    capacity?: number;
    treePath?: string;
    labels?: Readonly<Record<string, string>>;
  }[],
): Promise<void> {
  const connection = new Connection(service.port, headOf(tenant));
  for (let i = 0; i < items.length; i += 250)
    await connection.post('/api/v1/Resource/register', JSON.stringify(items.slice(i, i + 250)));
  connection.close();
}

/** Ends all reservations of these tenants. */
export async function resetAll({ service }: Stage, tenants: readonly ConfiguredKey[]): Promise<void> {
  const connection = new Connection(service.port, '');
  for (const tenant of tenants) await connection.post('/api/v1/Reservation/reset', '', headOf(tenant));
  connection.close();
}

/** Reads the memory that Redis uses, in bytes. */
export async function usedMemory({ redis }: Pick<Stage, 'redis'>): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}
