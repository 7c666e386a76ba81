/**
 * Redis time and memory of 100,000 tickets of one tenant: to issue them, to hand on what they wait for, to let them
 * end, and what they add to requests for other names.
 */

import type { UnreserveItem } from '../../src/contract/reservations.ts';
import { HoldfastError } from '../../src/domain/errors.ts';
import type { Credential } from '../../src/domain/tenants.ts';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { check } from '../../src/engine/reservations/check.ts';
import { reserve } from '../../src/engine/reservations/reserve.ts';
import { reset, unreserve } from '../../src/engine/reservations/unreserve.ts';
import { beat, look } from '../../src/engine/waiting/beat.ts';
import { waiting } from '../../src/engine/waiting/list.ts';
import { freshName } from '../requests.ts';
import { figureOf, inTurn, Series } from '../rounds.ts';
import { scriptTime } from '../scriptTime.ts';
import { slowest, watchSlow } from '../slowlog.ts';
import { type Stage, usedMemory } from '../stage.ts';
import type { Table } from '../table.ts';
import { until } from '../until.ts';
import { claim, INSTANCE, issueAll, issueBatch, type Kind, type Queue, startQueue } from './queue.ts';

const TICKETS = 100_000;
/** The largest batch of the default configuration. */
const BATCH = 500;
const ON_ONE_NAME = 10_000;
const SETS = 5000;
const SET_SIZE = 20;
const LEAVES = 1000;
const HAND_OVERS = 500;
const TRIES = 300;
const TRY_ROUNDS = 9;
/** Interval between beats of an instance. */
const BEAT_MS = 2000;
const PLAIN_BYTES = 650;
const ENTRY_BYTES = 170;
/** Later than calls and beats count: tickets are looked at again, and are unattended without another beat. */
const DUE_MS = 660_000;
/** Later than tickets wait. */
const ELAPSED_MS = 14_400_000;
/** Deadline for ending many tickets. */
const END_WITHIN_MS = 120_000;

const names = (base: string, count: number) => Array.from({ length: count }, (_, i) => `${base}-${i}`);
const plain = {
  count: TICKETS,
  resources: (i: number) => [i < ON_ONE_NAME ? 'hot' : `name-${i - ON_ONE_NAME}`],
  held: ['hot', ...names('name', TICKETS + BATCH - ON_ONE_NAME)],
  maxBytes: PLAIN_BYTES,
  batch: 50, // more may be refused as too much work
};
const ATTENDED: Kind = { ...plain, what: '100,000 attended, 10,000 of them on one name', pollMs: 30_000 };
const DETACHED: Kind = { ...plain, what: '100,000 detached, 10,000 of them on one name', pollMs: 0 };
const BELOW_ROOT: Kind = {
  what: '100,000 attended, all below one root',
  count: TICKETS,
  pollMs: 30_000,
  resources: (i) => [`leaf-${i % LEAVES}`],
  held: ['other-leaf'],
  maxBytes: PLAIN_BYTES + ENTRY_BYTES,
  batch: 50,
};
const OF_SETS: Kind = {
  what: '5,000 detached, each for 20 names',
  count: SETS,
  pollMs: 0,
  resources: (i) => ['hot', ...names(`set-${i}`, SET_SIZE - 1)],
  held: ['hot'],
  maxBytes: PLAIN_BYTES + (SET_SIZE - 1) * ENTRY_BYTES,
  batch: 1,
};

export async function tickets({ say }: Stage, table: Table): Promise<void> {
  const queue = await startQueue(say);
  await watchSlow(queue.redis);
  try {
    for (const kind of [ATTENDED, DETACHED, BELOW_ROOT, OF_SETS]) {
      say(`tickets: ${kind.what}`);
      await empty(queue);
      await measure(queue, table, kind);
    }
  } finally {
    await queue.stop();
  }
}

/** Empties Redis, and waits until it has freed the memory of what was there. */
async function empty({ redis }: Queue): Promise<void> {
  await redis.flushall('SYNC');
  await until('memory is freed', async () => (await redis.info('memory')).includes('lazyfree_pending_objects:0'));
}

async function measure(queue: Queue, table: Table, kind: Kind): Promise<void> {
  const { redis, engine, full } = queue;
  if (kind === BELOW_ROOT) await registerTree(engine, full);
  const first = await holdAll(queue, kind);
  await redis.slowlog('RESET');
  const beats = kind.pollMs === 0 ? undefined : setInterval(() => void beat(engine, full.tenant, INSTANCE), BEAT_MS);
  if (beats !== undefined) await beat(engine, full.tenant, INSTANCE);
  const before = await usedMemory(queue);
  const us = await scriptTime(queue.redis, () => issueAll(queue, kind));
  table.add({
    what: `memory of a ticket, ${kind.what}`,
    figure: figureOf([((await usedMemory(queue)) - before) / kind.count]),
    unit: 'bytes',
    target: { of: 'figure', atMost: kind.maxBytes },
  });
  table.add({ what: `to issue a ticket, ${kind.what}`, figure: figureOf([us / kind.count]), unit: 'µs' });
  table.add(await slowest(redis, `issue ${kind.what}`));
  if (kind.batch > 1) {
    await issueBatch(queue, kind, kind.count, kind.batch);
    table.add(await slowest(redis, `issue ${kind.batch} more at once, ${kind.what}`));
  }
  await tryOthers(queue, table, kind);
  await handOn(queue, table, kind, first);
  clearInterval(beats);
  await end(queue, table, kind);
}

/** The tickets end: all at once after their time, or by a reset, once nobody attends them. */
async function end(queue: Queue, table: Table, kind: Kind): Promise<void> {
  const { redis, engine, full } = queue;
  const row = (what: string, ms: number) =>
    table.add({ what: `${what}, ${kind.what}`, figure: figureOf([ms]), unit: 'ms' });
  if (kind.pollMs > 0) {
    row('nobody attends them any more', await timed(() => lookUntilDone(queue.later(DUE_MS), full)));
    table.add(await slowest(redis, `nobody attends them any more, ${kind.what}`));
  }
  if (kind === DETACHED) {
    row('all waits elapse', await timed(() => lookUntilDone(queue.later(ELAPSED_MS), full)));
    table.add(await slowest(redis, `all waits elapse, ${kind.what}`));
    return;
  }
  await reset(engine, full);
  table.add(await slowest(redis, `reset, ${kind.what}`));
}

/** Tries of fresh names, with and without tickets of other names in the tenant. */
async function tryOthers(queue: Queue, table: Table, kind: Kind): Promise<void> {
  const [full, empty] = [queue.full, queue.empty].map((credential) => new Series(() => tryNames(queue, credential)));
  if (full === undefined || empty === undefined) throw new Error('no tenants');
  await tryNames(queue, queue.empty); // the tenant is loaded
  await inTurn([full, empty], TRY_ROUNDS);
  for (const verb of ['reserve', 'unreserve'] as const)
    table.add({
      what: `${verb} of another name, ${kind.what}`,
      figure: full.figure((us) => us[verb]),
      unit: 'µs',
      beside: { what: 'without tickets', figure: empty.figure((us) => us[verb]) },
      target: { of: 'ratio', atMost: 1.2 },
    });
  table.add(await slowest(queue.redis, `tries of other names, ${kind.what}`));
}

async function tryNames(queue: Queue, credential: Credential): Promise<{ reserve: number; unreserve: number }> {
  const held: UnreserveItem[] = [];
  const reserves = await scriptTime(queue.redis, async () => {
    for (let i = 0; i < TRIES; i++)
      held.push(...(await reserve(queue.engine, credential, [{ resource: freshName(), requester: 'r' }])).result);
  });
  const unreserves = await scriptTime(queue.redis, async () => {
    for (const one of held) await unreserve(queue.engine, credential, [one]);
  });
  return { reserve: reserves / TRIES, unreserve: unreserves / TRIES };
}

/** Each owner in turn claims what the first tickets wait for, and releases it. Then lists all that wait. */
async function handOn(queue: Queue, table: Table, kind: Kind, first: readonly UnreserveItem[]): Promise<void> {
  const { redis, engine, full } = queue;
  const us = await scriptTime(queue.redis, async () => {
    let held = first;
    for (let i = 0; i < HAND_OVERS; i++) {
      await unreserve(engine, full, held);
      held = await claim(queue, kind, i);
    }
  });
  const resources = kind.resources(0);
  const alone = await scriptTime(queue.redis, async () => {
    for (let i = 0; i < HAND_OVERS; i++) {
      const items = resources.map((resource) => ({ resource, requester: 'r', ttlSeconds: 3600 }));
      await unreserve(engine, queue.empty, (await reserve(engine, queue.empty, items)).result);
    }
  });
  table.add({
    what: `release, grant and claim, ${kind.what}`,
    figure: figureOf([us / HAND_OVERS]),
    unit: 'µs',
    beside: { what: 'reserve + unreserve where nobody waits', figure: figureOf([alone / HAND_OVERS]) },
  });
  table.add(await slowest(redis, `hand-overs, ${kind.what}`));
  let listed = 0;
  for await (const { rows } of waiting(engine, full)) listed += rows.length;
  if (listed < kind.count - HAND_OVERS) throw new Error(`only ${listed} were listed as waiting`);
  await check(
    engine,
    full,
    names('name', BATCH).map((resource) => ({ resource })),
  );
  table.add(await slowest(redis, `list and check, ${kind.what}`));
}

/** Reserves what tickets will wait for. Returns what the first of them wait for. */
async function holdAll({ engine, full }: Queue, { held }: Kind): Promise<readonly UnreserveItem[]> {
  let first: readonly UnreserveItem[] | undefined;
  for (let i = 0; i < held.length; i += BATCH) {
    const items = held.slice(i, i + BATCH).map((resource) => ({ resource, requester: 'holder' }));
    const { result } = await reserve(engine, full, items);
    first ??= result.slice(0, 1);
  }
  return first ?? [];
}

async function registerTree(engine: Engine, credential: Credential): Promise<void> {
  const item = { capacity: 1, blocks: [] };
  const leaves = ['other-leaf', ...names('leaf', LEAVES)].map((name) => ({ ...item, name, treePath: 'root' }));
  const items = [{ ...item, name: 'root', treePath: null }, ...leaves];
  for (let i = 0; i < items.length; i += BATCH) await register(engine, credential, items.slice(i, i + BATCH), NOW);
}

/** Does all that is due. One call fails after some seconds, so it may take several. */
async function lookUntilDone(engine: Engine, { tenant }: Credential): Promise<void> {
  for (const deadline = performance.now() + END_WITHIN_MS; performance.now() < deadline; ) {
    try {
      await look(engine, tenant);
      return;
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
    }
  }
  throw new Error(`more is due after ${END_WITHIN_MS} ms`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
