/** Faults of one Redis that stays the primary: its process, its data, its clients, its limits. */

import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Loses } from '../history.ts';
import type { Random } from '../random.ts';
import type { Part, System, Traits } from '../system.ts';
import { always, during, EVERYSEC_MS, fault, isOne, isReplicated, killFor, partsOf, seconds, stopFor } from './make.ts';
import { ask, primariesOf, somePrimary, whole } from './nodes.ts';

/** A process that dies loses only what no system call had written to its file. */
const LOSES_BY_DEATH: Readonly<Record<Traits['persistence'], Loses>> = {
  always: 'nothing',
  everysec: { recentMs: EVERYSEC_MS },
  none: 'everything',
};

const killRedis = fault('kill-redis', isOne, async (system, random) => {
  const [targets, ms] = [partsOf(system, 'redis'), random.between(100, 3000)];
  await killFor(targets, ms);
  const detail = `killed Redis, started again after ${seconds(ms)}`;
  return { targets, loses: LOSES_BY_DEATH[system.traits.persistence], detail };
});

const stopRedis = fault('stop-redis', isOne, async (system, random) => {
  const [targets, ms] = [partsOf(system, 'redis'), random.between(1000, 20_000)];
  await stopFor(targets, ms);
  return { targets, detail: `stopped Redis for ${seconds(ms)}` };
});

const flushall = fault('flushall', always, async (system) => {
  const targets = await primariesOf(system);
  await Promise.all(targets.map((part) => ask(system, part, 'FLUSHALL')));
  return { targets, loses: 'everything', detail: 'FLUSHALL at all primaries' };
});

const scriptFlush = fault('script-flush', always, async (system) => {
  const targets = await primariesOf(system);
  await Promise.all(targets.map((part) => ask(system, part, 'SCRIPT', 'FLUSH')));
  return { targets, detail: 'SCRIPT FLUSH at all primaries' };
});

const clientKill = fault('client-kill', always, async (system, random) => {
  const target = await somePrimary(system, random);
  const types = isReplicated(system.traits) ? ['normal', 'pubsub', 'replica'] : ['normal', 'pubsub'];
  const [type, times] = [random.pick(types), random.between(1, 5)];
  for (let i = 0; i < times; i++) {
    await ask(system, target, 'CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
    await pause(random.between(0, 500));
  }
  await whole(system);
  return { targets: [target], detail: `CLIENT KILL TYPE ${type} at ${target.name}, ${times} times` };
});

const outOfMemory = fault('out-of-memory', always, async (system, random) => {
  const [target, ms] = [await somePrimary(system, random), random.between(500, 5000)];
  await ask(system, target, 'CONFIG', 'SET', 'maxmemory', '1');
  await during(ms, () => ask(system, target, 'CONFIG', 'SET', 'maxmemory', '0'));
  return { targets: [target], detail: `no memory for writes at ${target.name} for ${seconds(ms)}` };
});

/** All clients lose their connection, and few can connect again. */
const maxClients = fault('max-clients', isOne, async (system, random) => {
  const [target, ms, few] = [await somePrimary(system, random), random.between(1000, 4000), random.between(1, 4)];
  // It keeps its connection, since a new one would be refused, too.
  const own = new Redis({ host: target.host, port: target.port, retryStrategy: () => null });
  try {
    const allowed = (await own.config('GET', 'maxclients'))[1] ?? '10000';
    await own.config('SET', 'maxclients', few);
    await own.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await during(ms, () => own.config('SET', 'maxclients', allowed));
  } finally {
    own.disconnect();
  }
  return { targets: [target], detail: `at most ${few} clients at ${target.name} for ${seconds(ms)}` };
});

/** A replica of a host that is not there keeps its data, and refuses writes. */
const readonly = fault('readonly', isOne, async (system, random) => {
  const [target, ms] = [await somePrimary(system, random), random.between(500, 5000)];
  await ask(system, target, 'REPLICAOF', '127.0.0.1', 1);
  await during(ms, () => ask(system, target, 'REPLICAOF', 'NO', 'ONE'));
  return { targets: [target], detail: `READONLY for ${seconds(ms)}` };
});

/** It has fewer replicas than it needs to accept writes. */
const noReplicas = fault('no-replicas', isOne, async (system, random) => {
  const [target, ms] = [await somePrimary(system, random), random.between(500, 5000)];
  await ask(system, target, 'CONFIG', 'SET', 'min-replicas-to-write', 1);
  await during(ms, () => ask(system, target, 'CONFIG', 'SET', 'min-replicas-to-write', 0));
  return { targets: [target], detail: `NOREPLICAS for ${seconds(ms)}` };
});

/** At a primary that is watched it stays below the time after which it is replaced. */
const debugSleep = fault('debug-sleep', always, async (system, random) => {
  const target = await somePrimary(system, random);
  const ms = random.between(300, isOne(system.traits) ? 5000 : 800);
  await sleepAt(system, target, ms, random);
  return { targets: [target], detail: `DEBUG SLEEP at ${target.name} for ${seconds(ms)}` };
});

async function sleepAt(system: System, target: Part, ms: number, random: Random): Promise<void> {
  // Several in a row catch calls between each other.
  const times = random.between(1, 2);
  for (let i = 0; i < times; i++) {
    // The longest sleeps outlast the deadline of a command.
    await Promise.allSettled([system.command(target, 'DEBUG', 'SLEEP', ms / times / 1000), pause(ms / times)]);
  }
}

export const REDIS_FAULTS = [
  killRedis,
  stopRedis,
  flushall,
  scriptFlush,
  clientKill,
  outOfMemory,
  maxClients,
  readonly,
  noReplicas,
  debugSleep,
];
