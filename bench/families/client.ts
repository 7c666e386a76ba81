/**
 * Reserving and releasing different names with the client, by concurrent callers that share it in this process,
 * compared with as many that send redlock's commands straight to the same Redis. And one caller at a time, compared
 * with bare `fetch`. The service's instance has one core, and Redis shares the other with the load; redlock has a core
 * for Redis.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { type Client, cpuOf, load } from '../load.ts';
import { startRedlock } from '../peers/redlock.ts';
import { freshName } from '../requests.ts';
import { inTurn, Series } from '../rounds.ts';
import { resetAll, type Stage, straight } from '../stage.ts';
import type { Table } from '../table.ts';

const TTL_SECONDS = 3600;

/** Concurrent callers, and the ratio to redlock's commands that they should reach. */
const TARGETS = [
  [64, 0.25],
  [512, 0.4],
] as const;

export async function client(stage: Stage, table: Table): Promise<void> {
  const { service, tenant, redisServer } = stage;
  const watched = { server: service.pid, redis: redisServer.pid };
  const redlock = await startRedlock(redisServer);
  const loaded = await loadPackage();
  for (const [callers, atLeast] of TARGETS) {
    const cycles = callersOf(stage, loaded, callers);
    const lockers = await redlock.clients(callers);
    const ours = new Series(() => load(cycles, watched));
    const theirs = new Series(() => straight(stage, () => load(lockers)));
    await Promise.all([load(cycles), load(lockers)]); // so that code is compiled
    await inTurn([ours, theirs]);
    table.add({
      what: `reserve + release with the client, ${callers} callers`,
      figure: ours.figure(({ perSecond }) => perSecond),
      unit: 'cycles/s',
      beside: { what: `${redlock.name}, ${callers} callers`, figure: theirs.figure(({ perSecond }) => perSecond) },
      target: { of: 'ratio', atLeast },
      cpu: cpuOf(ours.samples),
    });
  }
  await redlock.stop();
  await oneByOne(stage, loaded, table);
  await resetAll(stage, [tenant]);
}

/** One caller at a time. */
async function oneByOne(stage: Stage, loaded: Package, table: Table): Promise<void> {
  const bare = bareCycle(stage);
  const [ours, fetched] = [callersOf(stage, loaded, 1), [bare]].map((one) => new Series(() => load(one)));
  if (ours === undefined || fetched === undefined) return;
  await load([bare]);
  await inTurn([ours, fetched], 5);
  table.add({
    what: 'reserve + release with the client, one caller',
    figure: ours.figure(({ perSecond }) => perSecond),
    unit: 'cycles/s',
    beside: { what: 'bare fetch', figure: fetched.figure(({ perSecond }) => perSecond) },
    target: { of: 'ratio', atLeast: 0.95 },
    cpu: cpuOf(ours.samples),
  });
}

/** Callers that share a client. */
function callersOf({ service, tenant }: Stage, { Holdfast }: Package, count: number): readonly Client[] {
  const holdfast = new Holdfast({ url: `http://127.0.0.1:${service.port}`, key: tenant.key });
  return Array.from({ length: count }, () => async () => {
    const hold = await holdfast.reserve(freshName(), { ttl: TTL_SECONDS * 1000 });
    await hold.release();
  });
}

type Package = typeof import('../../packages/client/src/index.ts');

/** Loads the client as its package has it: what loads TypeScript here makes functions slower. */
async function loadPackage(): Promise<Package> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'holdfast-bench-')), 'index.mjs');
  const entryPoint = fileURLToPath(new URL('../../packages/client/src/index.ts', import.meta.url));
  await build({
    entryPoints: [entryPoint],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
  });
  return import(pathToFileURL(outfile).href);
}

/** The same with `fetch`, as in an example for beginners. */
function bareCycle({ service, tenant }: Stage): Client {
  const headers = { 'X-Api-Key': tenant.key, 'Content-Type': 'application/json' };
  const call = async (verb: string, items: unknown) => {
    const body = JSON.stringify(items);
    const url = `http://127.0.0.1:${service.port}/api/v1/Reservation/${verb}`;
    const response = await fetch(url, { method: 'POST', headers, body });
    return response.json();
  };
  return async () => {
    const results = await call('reserve', [{ resource: freshName(), requester: 'worker-1', ttlSeconds: TTL_SECONDS }]);
    await call('unreserve', results);
  };
}
