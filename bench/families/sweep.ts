/**
 * A sweep of 100,000 reservations that expire at once, with an open event stream, compared with Redis expiring as many
 * keys.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startRedis } from '../../scripts/redisServer.ts';
import { sweep } from '../../src/engine/expiry/sweep.ts';
import { reserve } from '../../src/engine/reservations/reserve.ts';
import { createRedis } from '../../src/redis/client.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { openStreams } from '../openStreams.ts';
import { freshName } from '../requests.ts';
import { inTurn, Series } from '../rounds.ts';
import { pin, SERVICE, startServer } from '../servers.ts';
import { longestMs, longestRow, watchSlow } from '../slowlog.ts';
import type { Stage } from '../stage.ts';
import type { Table } from '../table.ts';

const DUE = 100_000;
/** Two hours ago: leases of an hour that begin then are due. */
const PAST = `return function()
  return tonumber(redis.call('TIME')[1]) * 1000000 - 7200000000
end`;
const SET_KEYS = `for i = 1, ARGV[1] do redis.call('SET', ARGV[2] .. ':' .. i, 'token', 'PXAT', ARGV[3]) end`;
const SOON_MS = 500;

export async function sweeping({ env, engine, credential, tenant, say }: Stage, table: Table): Promise<void> {
  // A separate Redis that no instance sweeps.
  const redisServer = await startRedis(say);
  const service = await startServer(SERVICE, { ...env, REDIS_URL: redisServer.url, ROLE: 'api' });
  pin(0, [service.pid]);
  const [redis, past] = [createRedis(redisServer.url, () => {}), createRedis(redisServer.url, () => {})];
  defineScripts(redis, loadScripts(engine.tiers));
  defineScripts(past, loadScripts(engine.tiers, { 'frame/now': PAST }));
  const subscriber = await openStreams(service.port, tenant.key, 1);

  const ours = new Series(async () => {
    for (let i = 0; i < DUE; i += 500) {
      const items = Array.from({ length: 500 }, () => ({ resource: freshName(), requester: 'r', ttlSeconds: 3600 }));
      await reserve({ ...engine, redis: past }, credential, items);
    }
    await watchSlow(redis);
    const start = performance.now();
    const { ended } = await sweep(redis);
    if (ended !== DUE) throw new Error(`${ended} were swept`);
    return { ms: performance.now() - start, longestMs: await longestMs(redis) };
  });
  const theirs = new Series(async () => {
    const before = await redis.dbsize();
    const dueAt = Date.now() + SOON_MS;
    for (let i = 0; i < DUE; i += 1000) await redis.eval(SET_KEYS, 0, 1000, freshName(), dueAt);
    await pause(dueAt - Date.now());
    while ((await redis.dbsize()) > before) await pause(5);
    return Date.now() - dueAt;
  });
  await inTurn([ours, theirs]);
  table.add({
    what: 'sweep of 100,000 due',
    figure: ours.figure(({ ms }) => ms),
    unit: 'ms',
    beside: { what: 'Redis dropping as many keys', figure: theirs.figure(Number) },
  });
  table.add(longestRow('sweep of 100,000 due', Math.max(...ours.samples.map(({ longestMs }) => longestMs))));

  for (const stream of subscriber) stream.destroy();
  for (const client of [redis, past]) client.disconnect();
  await service.stop();
  await redisServer.stop();
}
