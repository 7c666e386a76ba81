/** Starts Redis for a campaign: one, a primary with replicas and sentinels, or a cluster, each part in its place. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../../scripts/freePort.ts';
import { type Place, startRedisNode, startSentinel } from '../../../scripts/redisServer.ts';
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
import { type StoppablePart, startPart } from './part.ts';
import type { Clocks } from './stepClock.ts';

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

const COMMAND_MS = 5000;
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
      const told = await firstAnswer(sentinels, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', PRIMARY_NAME);
      const [host, port] = Array.isArray(told) ? told.map(String) : [];
      return partAt(nodes, host, Number(port));
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
      const slot = Number(await firstAnswer(parts, 'CLUSTER', 'KEYSLOT', `{${tenant}}`));
      const rows: unknown = await firstAnswer(parts, 'CLUSTER', 'SLOTS');
      for (const row of Array.isArray(rows) ? rows : []) {
        if (!Array.isArray(row) || Number(row[0]) > slot || slot > Number(row[1]) || !Array.isArray(row[2])) continue;
        return partAt(parts, String(row[2][0]), Number(row[2][1]));
      }
      throw new Error(`no node of the cluster has slot ${slot}`);
    },
  };
}

/** What the first part says that says anything. */
async function firstAnswer(parts: readonly Part[], ...words: readonly (string | number)[]): Promise<unknown> {
  return Promise.any(parts.filter(({ isRunning }) => isRunning).map((part) => commandAt(part, ...words)));
}

function partAt(parts: readonly Part[], host: string | undefined, port: number): Part {
  const part = parts.find((one) => one.host === host && one.port === port);
  if (part === undefined) throw new Error(`the primary, ${host}:${port}, is none of ours`);
  return part;
}
