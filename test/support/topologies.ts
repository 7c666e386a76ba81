/**
 * Real Redis topologies of local processes: a cluster of three primaries with a replica each, and a primary with two
 * replicas that three sentinels watch. Failures are found out as soon as these can: a second.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { Redis, type RedisOptions } from 'ioredis';
import { freePort } from '../../scripts/freePort.ts';
import { type RedisNode, startRedisNode, startSentinel } from '../../scripts/redisServer.ts';
import {
  type Address,
  CLUSTER_OPTIONS,
  DOWN_AFTER_MS,
  formCluster,
  formReplicas,
  LATE_DOWN_AFTER_MS,
  PRIMARY_NAME,
  REPLICA_OPTIONS,
  sentinelSettings,
  untilSentinelsAgree,
} from './forming.ts';
import { until } from './until.ts';

export interface Topology {
  /** For REDIS_URL. */
  readonly url: string;
  /** The node that is the primary of a key's slot just now; outside a cluster, of all. */
  primaryOf(slot: number): Promise<RedisNode>;
  /** Replaces the primary of a slot in good order, by a replica. */
  replace(slot: number): Promise<void>;
  /** Runs commands on one node. */
  on<T>(node: RedisNode, run: (client: Redis) => Promise<T>): Promise<T>;
  /** Runs commands on each primary. */
  onPrimaries<T>(run: (primary: Redis) => Promise<T>): Promise<T[]>;
  stop(): Promise<void>;
}

export interface Access {
  /** Added to the options of each node. */
  readonly nodeOptions?: readonly string[];
  /** Likewise, of each sentinel. */
  readonly sentinelOptions?: readonly string[];
  /** For clients. */
  readonly options?: Omit<RedisOptions, 'replyMapping'>;
  readonly user?: string;
  readonly password?: string;
  readonly tls?: boolean;
  /** Takes a silent node for dead only after 20 s. For tests in which no node dies. */
  readonly isPatient?: boolean;
}

const quiet = () => {};

const asClient = (port: number, { options, user, password }: Access) =>
  new Redis({
    port,
    host: '127.0.0.1',
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    ...options,
  }).on('error', quiet);

const credentials = ({ user, password }: Access) =>
  password === undefined ? '' : `${user}:${encodeURIComponent(password)}@`;

async function startNodes(count: number, options: readonly string[], access: Access): Promise<RedisNode[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const port = await freePort();
      const tls = access.tls ? ['--tls-port', String(port), '--tls-replication', 'yes'] : [];
      return startRedisNode(quiet, port, [...tls, ...options, ...(access.nodeOptions ?? [])]);
    }),
  );
}

/** Starts a cluster, and waits until all of it agrees on it. */
export async function startCluster(access: Access = {}): Promise<Topology> {
  const nodes = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const [port, busPort] = [await freePort(), await freePort()];
      const tls = access.tls ? ['--tls-port', String(port), '--tls-replication', 'yes', '--tls-cluster', 'yes'] : [];
      const options = [...tls, ...CLUSTER_OPTIONS, '--cluster-port', String(busPort), ...(access.nodeOptions ?? [])];
      return { ...(await startRedisNode(quiet, port, options)), busPort };
    }),
  );
  const connect = ({ port }: Address) => asClient(port, access);
  await formCluster(nodes, connect, access.isPatient ? LATE_DOWN_AFTER_MS : DOWN_AFTER_MS);

  const slots = async (): Promise<[number, number, number][]> => {
    for (const { port } of nodes) {
      const client = asClient(port, {
        ...access,
        options: { ...access.options, retryStrategy: () => null, connectTimeout: 500 },
      });
      try {
        const rows = await client.cluster('SLOTS');
        return rows.map(([from, to, primary]) => [
          Number(from),
          Number(to),
          Number(Array.isArray(primary) ? primary[1] : 0),
        ]);
      } catch {
        // This one is dead: another knows.
      } finally {
        client.disconnect();
      }
    }
    throw new Error('no node of the cluster answers');
  };
  const primaryOf = async (slot: number) => {
    const port = (await slots()).find(([from, to]) => from <= slot && slot <= to)?.[2];
    return found(nodes.find((node) => node.port === port));
  };
  const schema = access.tls ? 'rediss' : 'redis';
  return {
    url: `${schema}+cluster://${credentials(access)}${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    primaryOf,
    replace: async (slot) => {
      const primary = await primaryOf(slot);
      const replicas = await once(primary.port, access, async (client) =>
        String(await client.call('CLUSTER', 'REPLICAS', String(await client.call('CLUSTER', 'MYID')))),
      );
      const port = Number(/:(\d+)@/.exec(replicas)?.[1]);
      await once(port, access, (client) => client.call('CLUSTER', 'FAILOVER'));
      await until('it is replaced', async () => (await primaryOf(slot)).port === port);
    },
    on: ({ port }, run) => once(port, access, run),
    onPrimaries: async (run) =>
      Promise.all([...new Set((await slots()).map(([, , port]) => port))].map((port) => once(port, access, run))),
    stop: () => stopAll(nodes),
  };
}

/** Starts a primary, its replicas and the sentinels, and waits until these know each other. */
export async function startSentinels(access: Access = {}): Promise<Topology> {
  const masterAuth =
    access.password === undefined ? [] : ['--masteruser', access.user ?? '', '--masterauth', access.password];
  const nodes = await startNodes(3, [...REPLICA_OPTIONS, ...masterAuth], access);
  const first = await formReplicas(nodes, ({ port }) => asClient(port, access));
  const settings = [
    ...sentinelSettings(first),
    ...(access.password === undefined
      ? []
      : [
          `sentinel auth-user ${PRIMARY_NAME} ${access.user}`,
          `sentinel auth-pass ${PRIMARY_NAME} "${access.password}"`,
        ]),
  ];
  // Pairs of name and value, as on a command line.
  const options = (access.sentinelOptions ?? [])
    .join(' ')
    .split('--')
    .filter((option) => option !== '');
  const sentinels = await Promise.all(
    Array.from({ length: 3 }, async () =>
      startSentinel(quiet, await freePort(), [...options, ...settings], access.tls),
    ),
  );
  const toSentinels = access.options === undefined ? {} : { options: access.options };
  await untilSentinelsAgree(sentinels, ({ port }) => asClient(port, toSentinels));
  const patience = ['down-after-milliseconds', LATE_DOWN_AFTER_MS] as const;
  if (access.isPatient)
    for (const { port } of sentinels)
      await once(port, toSentinels, (client) => client.call('SENTINEL', 'SET', PRIMARY_NAME, ...patience));
  const primaryPort = async () => {
    const [sentinel] = sentinels;
    const told: unknown =
      sentinel &&
      (await once(sentinel.port, toSentinels, (client) =>
        client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', PRIMARY_NAME),
      ));
    return Array.isArray(told) ? Number(told[1]) : 0;
  };
  const list = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const schema = access.tls ? 'rediss' : 'redis';
  return {
    url: `${schema}+sentinel://${credentials(access)}${list}/${PRIMARY_NAME}`,
    primaryOf: async () => {
      const port = await primaryPort();
      return found(nodes.find((node) => node.port === port));
    },
    replace: async () => {
      const before = await primaryPort();
      const [sentinel] = sentinels;
      if (sentinel)
        await once(sentinel.port, toSentinels, (client) => client.call('SENTINEL', 'FAILOVER', PRIMARY_NAME));
      await until('it is replaced', async () => (await primaryPort()) !== before);
    },
    on: ({ port }, run) => once(port, access, run),
    onPrimaries: async (run) => [await once(await primaryPort(), access, run)],
    stop: () => stopAll([...sentinels, ...nodes]),
  };
}

async function once<T>(port: number, access: Access, run: (client: Redis) => Promise<T>): Promise<T> {
  const client = asClient(port, access);
  return run(client).finally(() => client.disconnect());
}

function found(node: RedisNode | undefined): RedisNode {
  if (node === undefined) throw new Error('the primary is none of ours');
  return node;
}

const stopAll = async (nodes: readonly RedisNode[]) => {
  await Promise.all(nodes.map(({ stop }) => stop()));
};

/**
 * Moves a slot of a cluster to another primary as redis-cli does, but with pauses between keys.
 * @param pauseMs before each key
 * @param to the node that gets it; by default another primary
 */
export async function moveSlot(topology: Topology, slot: number, pauseMs: number, to?: RedisNode): Promise<void> {
  const source = await topology.primaryOf(slot);
  const others = await Promise.all([0, 5500, 11_000].map((offset) => topology.primaryOf((slot + offset) % 16_384)));
  const target = to ?? others.find((node) => node.port !== source.port);
  if (target === undefined) throw new Error('there is only one primary');
  const idOf = (node: RedisNode) => topology.on(node, async (client) => String(await client.call('CLUSTER', 'MYID')));
  const [from, toId] = [await idOf(source), await idOf(target)];
  await topology.on(target, (client) => client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from));
  await topology.on(source, (client) => client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId));
  // On one connection: calls fail if the keys are apart for 1.5 s.
  await topology.on(source, async (client) => {
    for (;;) {
      const keys = await client.call('CLUSTER', 'GETKEYSINSLOT', slot, 1);
      if (!Array.isArray(keys) || keys.length === 0) break;
      await pause(pauseMs);
      await client.call('MIGRATE', '127.0.0.1', target.port, String(keys[0]), 0, 5000);
    }
  });
  for (const node of [target, source])
    await topology.on(node, (client) => client.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId));
  await topology.onPrimaries((client) => client.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId));
}
