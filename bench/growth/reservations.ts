/**
 * Cost by the number of a tenant's reservations: of a plain name, of a lease, of a slot of a pool, and of a sweep that
 * ends some leases. Each size has a tenant of its own, so that all can be measured in turn.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import { reserve } from '../../src/engine/reservations/reserve.ts';
import { unreserve } from '../../src/engine/reservations/unreserve.ts';
import { keysOf } from '../../src/redis/keys.ts';
import { parseReply, toInteger, toText } from '../../src/redis/reply.ts';
import { runScript } from '../../src/redis/scripts.ts';
import { hold } from '../families/reads.ts';
import { openStreams } from '../openStreams.ts';
import { type CycleOptions, cycle, freshName } from '../requests.ts';
import { headOf, type Stage, usedMemory } from '../stage.ts';
import { type Cost, costOf, costPanels, linesOf, measureAll, redisUse, type Sized, sized } from './cost.ts';
import { actingFor, settle } from './settle.ts';
import type { Fact, Findings } from './verdict.ts';

const SIZES = [10, 100, 1000, 10_000, 100_000, 1_000_000];
const MOST = 1_000_000;
const TTL_SECONDS = 86_400;
/** The number of slots of a pool that stay free for the measured requests. */
const SPARE = 1000;
/** The number of leases that a sweep ends, and when they expire. */
const DUE = 500;
const DUE_IN_MS = 20;
/** The number in a round. */
const SWEEPS = 4;
const CALLS = 500;

/** Makes the tenant's reservations, and picks the names that are then reserved and released. */
interface Kind {
  readonly name: string;
  readonly fill: (stage: Stage, n: number) => Promise<void>;
  readonly options: (connection: number) => CycleOptions;
}

const LEASE = 'a lease';
const SLOT = 'a slot of a pool';
const KINDS: readonly Kind[] = [
  { name: 'a plain name', fill: (stage, n) => hold(stage, n), options: () => ({ isLease: false }) },
  { name: LEASE, fill: (stage, n) => hold(stage, n, TTL_SECONDS), options: () => ({}) },
  {
    name: SLOT,
    fill: holdSlots,
    options: (connection) => ({ name: () => 'pool', requester: `r${connection}`, isLease: false }),
  },
];

/** Measures by the number of reservations. */
export async function reservations(stage: Stage): Promise<Findings> {
  const costs: Sized<Cost>[] = [];
  const calls: Sized<number>[] = [];
  const sweeps: Sized<number>[] = [];
  const facts: Fact[] = [];
  for (const [i, { name, fill, options }] of KINDS.entries())
    for (const n of SIZES) {
      const [tenant] = await settle(stage, [`held-${i}-${n}`]);
      if (tenant === undefined) throw new Error('no tenant');
      const acting = actingFor(stage, tenant);
      const before = await usedMemory(stage);
      await fill(acting, n);
      if (n === MOST)
        facts.push({
          what: `memory of ${name}, of ${n} held`,
          value: ((await usedMemory(stage)) - before) / n,
          unit: 'bytes',
        });
      await openStreams(stage.service.port, tenant.key, 1);
      costs.push(
        sized(name, n, () => costOf(stage, (one, number) => cycle(one, 1, options(number)), { head: headOf(tenant) })),
      );
      if (name === SLOT) calls.push(sized('a slot of a pool, by a call of its own', n, () => costOfCall(acting)));
      if (name === LEASE) sweeps.push(sized('a lease ended by the sweep', n, () => costOfSweep(acting)));
    }
  await measureAll([...costs, ...calls, ...sweeps]);
  const [redis, ...others] = costPanels(costs);
  return {
    chart: {
      name: 'reservations',
      title: 'Reserve and release, by reservations that the tenant holds',
      of: 'reservations held',
      panels: [{ ...redis, lines: [...redis.lines, ...linesOf(calls, Number), ...linesOf(sweeps, Number)] }, ...others],
    },
    facts,
  };
}

/** Reserves slots of a pool for the tenant. */
async function holdSlots({ engine, credential }: Stage, n: number): Promise<void> {
  await register(
    engine,
    credential,
    [{ name: 'pool', capacity: Math.min(n + SPARE, MOST), blocks: [], treePath: null }],
    NOW,
  );
  const held = Math.min(n, MOST - SPARE);
  for (let i = 0; i < held; i += 500) {
    const items = Array.from({ length: Math.min(500, held - i) }, () => ({ resource: 'pool', requester: freshName() }));
    await reserve(engine, credential, items);
  }
}

/**
 * Measures the Redis time of a script that reserves or releases a slot for a single request, in µs.
 */
async function costOfCall(acting: Stage): Promise<number> {
  const { engine, credential } = acting;
  const before = await redisUse(acting);
  for (let i = 0; i < CALLS; i++) {
    const { result } = await reserve(engine, credential, [{ resource: 'pool', requester: 'alone' }]);
    await unreserve(engine, credential, result);
  }
  return ((await redisUse(acting)).scriptUs - before.scriptUs) / CALLS / 2;
}

/**
 * Measures the Redis time for each lease that a sweep ends, in µs, over all calls of its script.
 */
async function costOfSweep(acting: Stage): Promise<number> {
  const { engine, credential, redis } = acting;
  let [us, ended] = [0, 0];
  for (let i = 0; i < SWEEPS; i++) {
    const items = Array.from({ length: DUE }, () => ({
      resource: freshName(),
      requester: 'r',
      ttlSeconds: DUE_IN_MS / 1000,
    }));
    await reserve(engine, credential, items);
    await pause(DUE_IN_MS * 2);
    const before = await redisUse(acting);
    for (let code = 'AGAIN'; code === 'AGAIN'; ) {
      const [next, count] = parseReply(await runScript(redis, 'sweep', ...keysOf('sweep', credential.tenant), ''));
      code = toText(next);
      ended += toInteger(count);
    }
    us += (await redisUse(acting)).scriptUs - before.scriptUs;
  }
  // The instance also sweeps once a second, and may have been first.
  if (ended < DUE) throw new Error(`${ended} were swept`);
  return us / ended;
}
