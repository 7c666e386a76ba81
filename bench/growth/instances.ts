/**
 * Cost by the number of instances, each with 64 connections: of one tenant, whose requests go in batches within an
 * instance, and of a thousand tenants, whose requests never do. All instances run on one core, so that their total
 * throughput does not grow, but the cost of a request is as it would be with a core for each.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { openStreams } from '../openStreams.ts';
import { cycle } from '../requests.ts';
import { cpuSeconds, pin, type RunningServer, residentKiB, SERVICE, startServer } from '../servers.ts';
import { headOf, loadOver, type Stage } from '../stage.ts';
import { costOf, costPanels, measureAll, redisUse, sized } from './cost.ts';
import type { Fact, Findings } from './verdict.ts';

const MOST = 4;
const IDLE_MS = 3000;
/** By then an instance has finished the work of its start. */
const SETTLED_MS = 1500;

/** Warm-up rounds of an instance. */
const WARMING = 3;

/** Measures by the number of instances, and the cost of idle ones. */
export async function instances(stage: Stage): Promise<Findings> {
  const { tenant, tenants, env, service } = stage;
  const alone = await idle(stage, [service]);
  const more: RunningServer[] = [];
  for (let i = 1; i < MOST; i++) more.push(await startServer(SERVICE, env));
  const all = [service, ...more];
  pin(
    0,
    more.map(({ pid }) => pid),
  );
  const together = await idle(stage, all);
  const share = (of: (use: typeof alone) => number) => (of(together) - of(alone)) / more.length;
  const facts: Fact[] = [
    { what: 'CPU of Redis for an idle instance', value: share(({ redis }) => redis) * 1000, unit: 'ms a second' },
    { what: 'CPU of an idle instance', value: share(({ servers }) => servers) * 1000, unit: 'ms a second' },
    { what: 'memory of an idle instance', value: share(({ mib }) => mib), unit: 'MiB' },
  ];

  // A warm-up, so that they are compiled.
  for (const server of more) for (let i = 0; i < WARMING; i++) await loadOver(stage, server, 64, (one) => cycle(one));
  const subscriber = await openStreams(service.port, tenant.key, 1);
  const heads = tenants.map(headOf);
  let next = 0;
  const sizes = Array.from({ length: MOST }, (_, i) => i + 1);
  const costs = [
    ...sizes.map((n) =>
      sized('one tenant', n, () =>
        costOf(stage, (one) => cycle(one), { head: headOf(tenant), servers: all.slice(0, n) }),
      ),
    ),
    ...sizes.map((n) =>
      sized('1,000 tenants', n, () =>
        costOf(stage, (one) => cycle(one, 1, { head: heads[next++ % heads.length] }), { servers: all.slice(0, n) }),
      ),
    ),
  ];
  await measureAll(costs);
  for (const stream of subscriber) stream.destroy();
  for (const server of more) await server.stop();
  return {
    chart: {
      name: 'instances',
      title: 'Reserve and release, by instances, 64 connections to each',
      of: 'instances',
      panels: costPanels(costs),
    },
    facts,
  };
}

/**
 * Measures the CPU time of Redis and of idle instances, in cores, and the memory of the instances.
 */
async function idle(stage: Stage, servers: readonly RunningServer[]) {
  await pause(SETTLED_MS);
  const used = () => servers.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  const [redisBefore, before] = [(await redisUse(stage)).seconds, used()];
  await pause(IDLE_MS);
  const perSecond = 1000 / IDLE_MS;
  return {
    redis: ((await redisUse(stage)).seconds - redisBefore) * perSecond,
    servers: (used() - before) * perSecond,
    mib: (await Promise.all(servers.map(({ pid }) => residentKiB(pid)))).reduce((sum, kib) => sum + kib, 0) / 1024,
  };
}
