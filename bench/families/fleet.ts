/**
 * Several instances: 1, 2 and 4 on one Redis, and 2 on a cluster of three. All instances share a core, so their
 * throughput does not grow here; the CPU time of a request, of the instances and of Redis, is what it would be with a
 * core for each. Where one Redis ends is extrapolated from its CPU time.
 */
import { Redis } from 'ioredis';
import { freePort } from '../../scripts/freePort.ts';
import { startRedisNode } from '../../scripts/redisServer.ts';
import { CLUSTER_OPTIONS, formCluster } from '../../test/support/forming.ts';
import { Connection } from '../client.ts';
import { type Load, load } from '../load.ts';
import { cycle } from '../requests.ts';
import { type Figure, figureOf, inTurn, Series } from '../rounds.ts';
import { pin, type RunningServer, SERVICE, startServer } from '../servers.ts';
import { headOf, resetAll, type Stage } from '../stage.ts';
import type { Table } from '../table.ts';

const SIZES = [1, 2, 4];
const CLUSTER_INSTANCES = 2;
/** Connections to each instance. */
const CONNECTIONS = 64;
/** A reserve and an unreserve. */
const REQUESTS_A_CYCLE = 2;
const MICROSECONDS = 1e6;
const FEWEST_TENANTS = 'one tenant';
const MOST_TENANTS = '1,000 tenants';

/** Runs cycles over instances, each connection with the next tenant at each request. */
async function cyclesOver(
  servers: readonly RunningServer[],
  redis: readonly { readonly pid: number }[],
  heads: readonly string[],
): Promise<Load> {
  const opened = servers.flatMap(({ port }) => Array.from({ length: CONNECTIONS }, () => new Connection(port, '')));
  const watched = Object.fromEntries([
    ...servers.map(({ pid }, i) => [`instance ${i}`, pid]),
    ...redis.map(({ pid }, i) => [`redis ${i}`, pid]),
  ]);
  let next = 0;
  const result = await load(
    opened.map((one) => () => cycle(one, 1, { head: heads[next++ % heads.length] })),
    watched,
  );
  for (const one of opened) one.close();
  return result;
}

/** CPU time of a request, in µs, of the processes whose names begin so. */
const cpuOf = (name: string) => (sample: Load) => {
  const cores = Object.entries(sample.cpu).filter(([of]) => of.startsWith(name));
  return (cores.reduce((sum, [, share]) => sum + share, 0) * MICROSECONDS) / (sample.perSecond * REQUESTS_A_CYCLE);
};

function addRows(table: Table, what: string, series: Series<Load>): Figure {
  const redis = series.figure(cpuOf('redis'));
  const perSecond = series.figure((sample) => sample.perSecond * REQUESTS_A_CYCLE);
  table.add({ what: `${what}, on a core together`, figure: perSecond, unit: 'requests/s' });
  table.add({ what: `${what}: CPU of the instances`, figure: series.figure(cpuOf('instance')), unit: 'µs a request' });
  table.add({ what: `${what}: CPU of Redis`, figure: redis, unit: 'µs a request' });
  return redis;
}

export async function fleet(stage: Stage, table: Table): Promise<void> {
  const { service, env, tenant, tenants, redisServer } = stage;
  const more: RunningServer[] = [];
  for (let i = 1; i < Math.max(...SIZES); i++) more.push(await startServer(SERVICE, env));
  pin(
    0,
    more.map(({ pid }) => pid),
  );
  const all = [service, ...more];
  const sides = { [FEWEST_TENANTS]: [headOf(tenant)], [MOST_TENANTS]: tenants.map(headOf) };
  for (const server of more) await cyclesOver([server], [redisServer], sides[MOST_TENANTS]); // a warm-up
  const runs = Object.entries(sides).flatMap(([of, heads]) =>
    SIZES.map((n) => ({
      of,
      n,
      series: new Series(() => cyclesOver(all.slice(0, n), [redisServer], heads)),
    })),
  );
  await inTurn(runs.map(({ series }) => series));
  for (const { of, n, series } of runs) {
    const redis = addRows(table, `${n} instance${n === 1 ? '' : 's'}, ${of}`, series);
    if (n === Math.max(...SIZES)) table.add(endOf(`one Redis, ${of}`, redis, 1));
  }
  await resetAll(stage, [tenant, ...tenants]);
  for (const server of more) await server.stop();
  await onCluster(stage, table, sides[MOST_TENANTS]);
}

/** The row that says how many requests as many nodes of Redis would carry, if they were the only limit. */
const endOf = (what: string, redisUs: Figure, nodes: number) => {
  return {
    what: `${what}: carries, extrapolated from its CPU`,
    figure: figureOf(redisUs.rounds.map((us) => (nodes * MICROSECONDS) / us)),
    unit: 'requests/s',
  };
};

/** Measures instances on a cluster of three primaries without replicas. */
async function onCluster({ env, say }: Stage, table: Table, heads: readonly string[]): Promise<void> {
  const nodes = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const [port, busPort] = [await freePort(), await freePort()];
      return { ...(await startRedisNode(say, port, [...CLUSTER_OPTIONS, '--cluster-port', String(busPort)])), busPort };
    }),
  );
  await formCluster(nodes, ({ host, port }) => new Redis({ host, port }).on('error', () => {}));
  const REDIS_URL = `redis+cluster://${nodes.map(({ host, port }) => `${host}:${port}`).join()}`;
  const servers: RunningServer[] = [];
  for (let i = 0; i < CLUSTER_INSTANCES; i++) servers.push(await startServer(SERVICE, { ...env, REDIS_URL }));
  pin(
    0,
    servers.map(({ pid }) => pid),
  );
  pin(
    1,
    nodes.map(({ pid }) => pid),
  );
  await cyclesOver(servers, nodes, heads); // a warm-up
  const series = new Series(() => cyclesOver(servers, nodes, heads));
  await inTurn([series]);
  const what = `${CLUSTER_INSTANCES} instances on a cluster of 3, ${MOST_TENANTS}`;
  table.add(endOf(`a cluster of 3, ${MOST_TENANTS}`, addRows(table, what, series), nodes.length));
  for (const server of servers) await server.stop();
  for (const node of nodes) await node.stop();
}
