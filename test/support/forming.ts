/**
 * Makes a cluster of nodes that run, or a primary with replicas and sentinels, and waits until all of them agree.
 */
import type { Redis } from 'ioredis';
import type { RedisNode } from '../../scripts/redisServer.ts';
import { until } from './until.ts';

/** After which a silent node counts as dead. */
export const DOWN_AFTER_MS = 1000;

/** The same in tests in which none dies: on a busy machine one may be silent for longer than DOWN_AFTER_MS. */
export const LATE_DOWN_AFTER_MS = 20_000;

/** The same while a cluster is formed: primaries serve after as long, and nodes tell of themselves twice as often. */
const SPREAD_MS = 2000;

/** The sentinels' name for the primary. */
export const PRIMARY_NAME = 'holdfast';

const PRIMARIES = 3;
const SLOTS = 16_384;

/** The options of a primary and of its replicas. */
export const REPLICA_OPTIONS: readonly string[] = ['--repl-diskless-sync-delay', '0'];

/**
 * The options of the nodes of a cluster. As docs/operations/redis.md advises, the others serve while one primary is
 * being replaced.
 */
export const CLUSTER_OPTIONS: readonly string[] = [
  ...REPLICA_OPTIONS,
  ...['--cluster-enabled', 'yes'],
  ...['--cluster-require-full-coverage', 'no'],
  ...['--cluster-node-timeout', String(DOWN_AFTER_MS)],
];

/** Where a Redis or a sentinel listens. */
export type Address = Pick<RedisNode, 'host' | 'port'>;

/** Makes a client of a node. It is disconnected at the end. */
export type Connect = (node: Address) => Redis;

/**
 * Makes a cluster of three primaries, with a replica each or with none.
 * @param nodes six or three: the primaries come first
 * @param downAfterMs after which a silent node counts as dead
 */
export async function formCluster(
  nodes: readonly (Address & { readonly busPort: number })[],
  connect: Connect,
  downAfterMs = DOWN_AFTER_MS,
): Promise<void> {
  const clients = nodes.map(connect);
  const ask = (...words: readonly (string | number)[]) =>
    Promise.all(clients.map(async (client) => String(await client.call('CLUSTER', ...words))));
  try {
    for (const [i, client] of clients.entries()) {
      const share = Math.ceil(SLOTS / PRIMARIES);
      if (i < PRIMARIES) await client.call('CLUSTER', 'ADDSLOTSRANGE', i * share, Math.min(SLOTS, (i + 1) * share) - 1);
      await client.call('CLUSTER', 'SET-CONFIG-EPOCH', i + 1);
    }
    const setPatience = (ms: number) =>
      Promise.all(clients.map((client) => client.config('SET', 'cluster-node-timeout', ms)));
    const known = async () => (await ask('NODES')).map((text) => text.trim().split('\n'));
    // Nodes forget each other if their handshake takes longer.
    await setPatience(LATE_DOWN_AFTER_MS);
    // Each meets all others: what one tells of another takes a while.
    for (const [i, client] of clients.entries())
      for (const { host, port, busPort } of nodes.slice(i + 1))
        await client.call('CLUSTER', 'MEET', host, port, busPort);
    await until('all nodes know each other', async () =>
      (await known()).every(
        (lines) => lines.length === nodes.length && lines.every((line) => !line.includes('handshake')),
      ),
    );
    const ids = await ask('MYID');
    await setPatience(SPREAD_MS);
    const replicas = clients.slice(PRIMARIES);
    await Promise.all(replicas.map((replica, i) => becomeReplica(replica, ids[i] ?? '')));
    await until('the cluster is whole', async () => {
      const [states, info, told] = await Promise.all([
        ask('INFO'),
        Promise.all(replicas.map((replica) => replica.info('replication'))),
        known(),
      ]);
      return (
        states.every((state) => state.includes('cluster_state:ok')) &&
        info.every((one) => one.includes('master_link_status:up')) &&
        told.every((lines) => lines.filter((line) => line.includes('slave')).length === replicas.length)
      );
    });
    await setPatience(downAfterMs);
  } finally {
    for (const client of clients) client.disconnect();
  }
}

/** Repeats it until the node has heard of the primary. */
const becomeReplica = (replica: Redis, primary: string) =>
  until('the replica is taken', () =>
    replica.call('CLUSTER', 'REPLICATE', primary).then(
      () => true,
      () => false,
    ),
  );

/**
 * Makes the others replicas of the first.
 * @returns the first
 */
export async function formReplicas(nodes: readonly Address[], connect: Connect): Promise<Address> {
  const [first, ...others] = nodes;
  if (first === undefined) throw new Error('no primary');
  const clients = others.map(connect);
  try {
    await Promise.all(clients.map((client) => client.replicaof(first.host, first.port)));
    await until('the replicas are up to date', async () => {
      const told = await Promise.all(clients.map((client) => client.info('replication')));
      return told.every((one) => one.includes('master_link_status:up'));
    });
  } finally {
    for (const client of clients) client.disconnect();
  }
  return first;
}

/** The lines of a sentinel's configuration that name a primary, which two of three must find dead. */
export const sentinelSettings = ({ host, port }: Address): readonly string[] => [
  `sentinel monitor ${PRIMARY_NAME} ${host} ${port} 2`,
  `sentinel down-after-milliseconds ${PRIMARY_NAME} ${DOWN_AFTER_MS}`,
  `sentinel failover-timeout ${PRIMARY_NAME} 3000`,
];

/** Waits until three sentinels know each other and two replicas. */
export async function untilSentinelsAgree(sentinels: readonly Address[], connect: Connect): Promise<void> {
  const clients = sentinels.map(connect);
  try {
    await until('the sentinels know each other and the replicas', async () => {
      const told = await Promise.all(clients.map((client) => client.info('sentinel')));
      return told.every((info) => info.includes('slaves=2,sentinels=3'));
    });
  } finally {
    for (const client of clients) client.disconnect();
  }
}
