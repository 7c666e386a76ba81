/** Starts Redis for a campaign: one, a primary with replicas and sentinels, or a cluster, each part in its place. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../../scripts/freePort.ts';
import { type Place, startRedisNode, startSentinel } from '../../../scripts/redisServer.ts';
import { slotOf } from '../../../src/redis/topology.ts';
import {
  CLUSTER_OPTIONS,
  formCluster,
  formReplicas,
  PRIMARY_NAME,
  REPLICA_OPTIONS,
  sentinelSettings,
  untilSentinelsAgree,
} from '../../support/forming.ts';
import type { Part, Traits } from '../system.ts';
import { type Host, runnerOf } from './network.ts';
import type { Clocks } from './part.ts';
import { type StoppablePart, startPart } from './part.ts';

/** Where parts run. */
export interface Ground {
  /** Of all data and logs. */
  readonly folder: string;
  readonly clocks: Clocks | null;
  /** The host of a Redis or a sentinel, by its place in the list of all. */
  hostOf(i: number): Host;
}

/** A Redis of some topology. */
export interface Store {
  /** For REDIS_URL. */
  readonly url: string;
  readonly parts: readonly StoppablePart[];
  primaryOf(tenant: string): Promise<Part>;
}

/** On a machine that is busy. */
const COMMAND_MS = 10_000;
const quiet = () => {};

/** Makes a client that neither repeats a command nor connects again. */
const connect = ({ host, port }: Pick<Part, 'host' | 'port'>): Redis =>
  new Redis({
    host,
    port,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: COMMAND_MS,
    commandTimeout: COMMAND_MS,
  }).on('error', quiet);

/** Runs a command at a Redis or a sentinel. */
export async function commandAt(part: Part, ...words: readonly (string | number)[]): Promise<unknown> {
  const [name = '', ...rest] = words;
  const client = connect(part);
  return client.call(String(name), ...rest).finally(() => client.disconnect());
}

/** The options of every Redis here. */
const optionsOf = (persistence: Traits['persistence']): readonly string[] => [
  ...['--enable-debug-command', 'yes'],
  ...(persistence === 'none' ? [] : ['--appendonly', 'yes', '--appendfsync', persistence]),
];

/** @param i its place in the list of all */
function placeOf(ground: Ground, name: string, i: number): { readonly host: Host; readonly place: Place } {
  const folder = join(ground.folder, name);
  mkdirSync(folder);
  const host = ground.hostOf(i);
  const log = join(ground.folder, `${name}.log`);
  return { host, place: { host: host.address, folder, log, runner: runnerOf(host) } };
}

async function startNode(ground: Ground, i: number, options: readonly string[]): Promise<StoppablePart> {
  const name = `redis${i}`;
  const { host, place } = placeOf(ground, name, i);
  const port = await freePort();
  const env = ground.clocks?.envOf(name) ?? {};
  const known = { name, kind: 'redis', host: host.address, port, logFile: place.log ?? '' } as const;
  return startPart(known, () => startRedisNode(quiet, port, options, { ...place, env }));
}

const startNodes = (ground: Ground, count: number, options: readonly string[]) =>
  Promise.all(Array.from({ length: count }, (_, i) => startNode(ground, i, options)));

/** Starts one Redis. */
export async function startOne(ground: Ground, { persistence }: Traits): Promise<Store> {
  const redis = await startNode(ground, 0, optionsOf(persistence));
  return { url: `redis://${redis.host}:${redis.port}`, parts: [redis], primaryOf: async () => redis };
}

/** Starts a primary with two replicas, and three sentinels. */
export async function startSentinels(ground: Ground, { persistence }: Traits): Promise<Store> {
  const nodes = await startNodes(ground, 3, [...REPLICA_OPTIONS, ...optionsOf(persistence)]);
  const first = await formReplicas(nodes, connect);
  await Promise.all(nodes.map((node) => commandAt(node, 'CONFIG', 'REWRITE')));
  const sentinels = await Promise.all([0, 1, 2].map((i) => startOneSentinel(ground, i, sentinelSettings(first))));
  await untilSentinelsAgree(sentinels, connect);
  return {
    url: `redis+sentinel://${sentinels.map(({ host, port }) => `${host}:${port}`).join(',')}/${PRIMARY_NAME}`,
    parts: [...nodes, ...sentinels],
    primaryOf: async () => {
      const told = await mostSay(sentinels, (part) => primaryBySentinel(part));
      return partAt(nodes, told);
    },
  };
}

async function startOneSentinel(ground: Ground, i: number, settings: readonly string[]): Promise<StoppablePart> {
  const name = `sentinel${i}`;
  const { host, place } = placeOf(ground, name, 3 + i);
  const port = await freePort();
  const known = { name, kind: 'sentinel', host: host.address, port, logFile: place.log ?? '' } as const;
  return startPart(known, () => startSentinel(quiet, port, settings, false, place));
}

/** Starts a cluster of three primaries with a replica each. */
export async function startCluster(ground: Ground, { persistence }: Traits): Promise<Store> {
  const options = [...CLUSTER_OPTIONS, ...optionsOf(persistence)];
  const nodes = await Promise.all(
    Array.from({ length: 6 }, async (_, i) => {
      const busPort = await freePort();
      return { part: await startNode(ground, i, [...options, '--cluster-port', String(busPort)]), busPort };
    }),
  );
  const parts = nodes.map(({ part }) => part);
  await formCluster(
    nodes.map(({ part: { host, port }, busPort }) => ({ host, port, busPort })),
    connect,
  );
  return {
    url: `redis+cluster://${parts.map(({ host, port }) => `${host}:${port}`).join(',')}`,
    parts,
    primaryOf: async (tenant) => {
      const slot = slotOf(`{${tenant}}`);
      return partAt(parts, await mostSay(parts, (part) => primaryByNode(part, slot)));
    },
  };
}

async function primaryBySentinel(sentinel: Part): Promise<string> {
  const told = await commandAt(sentinel, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', PRIMARY_NAME);
  return Array.isArray(told) ? told.join(':') : '';
}

async function primaryByNode(node: Part, slot: number): Promise<string> {
  const rows: unknown = await commandAt(node, 'CLUSTER', 'SLOTS');
  for (const row of Array.isArray(rows) ? rows : []) {
    const [from, to, primary]: unknown[] = Array.isArray(row) ? row : [];
    if (Number(from) <= slot && slot <= Number(to) && Array.isArray(primary)) return primary.slice(0, 2).join(':');
  }
  return '';
}

/**
 * Returns the answer of more than half of some parts, as soon as they agree; else that of most. A part that is cut
 * off may not know better.
 */
async function mostSay(parts: readonly Part[], ask: (part: Part) => Promise<string>): Promise<string> {
  const counts = new Map<string, number>();
  return new Promise((resolve) => {
    const asked = parts.map(async (part) => {
      const said = part.isRunning ? await ask(part).catch(() => '') : '';
      if (said === '') return;
      const count = (counts.get(said) ?? 0) + 1;
      counts.set(said, count);
      if (count > parts.length / 2) resolve(said);
    });
    void Promise.all(asked).then(() => resolve([...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? ''));
  });
}

function partAt(parts: readonly Part[], address: string): Part {
  const part = parts.find(({ host, port }) => `${host}:${port}` === address);
  if (part === undefined) throw new Error(`the primary (${address}) is none of ours`);
  return part;
}
