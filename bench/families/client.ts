/**
 * Reserving and releasing different names with the client, by concurrent callers in this process, compared with as many
 * that send redlock's commands straight to the same Redis. And one caller at a time, compared with bare `fetch`.
 */
import { createApi } from '../../packages/client/src/http/createApi.ts';
import { type Client, cpuOf, load } from '../load.ts';
import { startRedlock } from '../peers/redlock.ts';
import { freshName } from '../requests.ts';
import { inTurn, Series } from '../rounds.ts';
import { resetAll, type Stage, straight } from '../stage.ts';
import type { Table } from '../table.ts';

const TTL_SECONDS = 3600;

/** Concurrent callers, and the ratio to redlock's commands that they should reach. */
const TARGETS = [
  [64, 0.6],
  [512, 1],
] as const;

export async function client(stage: Stage, table: Table): Promise<void> {
  const { service, tenant, redisServer } = stage;
  const watched = { server: service.pid, redis: redisServer.pid };
  const redlock = await startRedlock(redisServer.url);
  for (const [callers, atLeast] of TARGETS) {
    const cycles = callersOf(stage, callers);
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
  await oneByOne(stage, table);
  await resetAll(stage, [tenant]);
}

/** One caller at a time. */
async function oneByOne(stage: Stage, table: Table): Promise<void> {
  const bare = bareCycle(stage);
  const [ours, fetched] = [callersOf(stage, 1), [bare]].map((one) => new Series(() => load(one)));
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

/** Callers that share a client, as those of one process do. */
function callersOf({ service, tenant }: Stage, count: number): readonly Client[] {
  const api = createApi({ url: `http://127.0.0.1:${service.port}`, key: tenant.key });
  return Array.from({ length: count }, () => async () => {
    const item = { resource: freshName(), requester: 'worker-1', ttlSeconds: TTL_SECONDS };
    const { result } = await api.reserve(item);
    const { status, releaseToken } = result;
    if (status !== 'ACQUIRED' || releaseToken === null) throw new Error(`not reserved: ${JSON.stringify(result)}`);
    await api.unreserve({ resource: item.resource, requester: item.requester, releaseToken });
  });
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
