/**
 * No verb of those who read an outbox keeps Redis busy for long, however full the outbox is.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import { maskOf } from '../../src/domain/eventTypes.ts';
import { finishBatch, moveSlowest, startCursor, storeBatch, takeBatch } from '../../src/engine/notices/cursors.ts';
import { loadTenant } from '../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { cursorsKey, outboxKey } from '../../src/redis/keys.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { changeHot, hotOf } from '../support/hotRecord.ts';
import { makeConfiguredKey, makeTenant } from '../support/service.ts';
import { MAX_MS, ScriptTimes } from './hog/scriptTimes.ts';

const READERS = 21;
const key = makeConfiguredKey(makeTenant());
const { tenant } = key;
const lease = { tenant, reader: 'reader-0', owner: 'worker' };
// Of its own: the log of a shared one has the scripts of others.
let server: RedisServer;
let running: RunningEngine;
let times: ScriptTimes;
beforeAll(async () => {
  server = await startRedis(() => {});
  running = await startEngine(tenant, server.url, undefined, {}, key);
  const record = configuredTenants([key]).get(tenant);
  if (record === undefined) throw new Error('no record');
  const notices = { types: maskOf(['*']), personTypes: 0 };
  await loadTenant(running.engine.redis, { ...record, notices }, { definitionsVersion: 0, lease: null });
  times = await ScriptTimes.of(running.engine.redis);
});
afterAll(async () => {
  running.stop();
  await server.stop();
});

/** Fills the outbox with entries of some bytes, none of which any reader has read. */
async function fill(entries: number, bytes: number): Promise<void> {
  const { redis } = running.engine;
  await redis.del(outboxKey(tenant), cursorsKey(tenant));
  for (let i = 0; i < READERS; i++) await startCursor(redis, tenant, `reader-${i}`, 'start', true);
  const line = JSON.stringify({ type: 'RESET', filler: 'x'.repeat(bytes) });
  const size = bytes + 100;
  for (let i = 0; i < entries; i += 500) {
    const pipeline = redis.pipeline();
    for (let j = i; j < Math.min(entries, i + 500); j++)
      pipeline.xadd(
        outboxKey(tenant),
        `${Date.now() - 20_000 + j}-0`,
        'e',
        `${Date.now()} ${j * size} ${j} 1\n${line}`,
      );
    await pipeline.exec();
  }
  const { box } = await hotOf(redis, tenant);
  if (box === null) throw new Error('there is no outbox');
  const numbers = { ...box, entries, events: entries, from: 0, to: entries * size, missed: 0 };
  await changeHot(redis, tenant, { box: numbers });
}

describe('no verb keeps Redis busy for long', () => {
  const take = async () => {
    const taken = await takeBatch(running.engine.redis, lease, 60_000, 1000, '0');
    if (typeof taken === 'string') throw new Error(taken);
    return taken.entries.at(-1) ?? taken.entries[0];
  };
  const limit = (title: string, operation: () => Promise<unknown>, before?: () => Promise<unknown>) =>
    times.longest(title, operation, before).then((ms) => expect(ms, title).toBeLessThan(MAX_MS));

  test('on the most entries', async () => {
    const { redis } = running.engine;
    const full = () => fill(10_000, 200);
    await full();
    await limit('take', take);
    const last = await take();
    await storeBatch(redis, lease, 60_000, { webhookId: 'msg', choice: '{}' }, last, 100);
    await limit('take of a stored batch', take);
    const newest = { id: '9999999999999-0', ms: 0, missed: 0, passed: 10_000, lines: [] };
    // The others are gone, so all entries are deleted.
    const alone = async () => {
      await full();
      for (let i = 1; i < READERS; i++) await redis.hdel(cursorsKey(tenant), `reader-${i}`);
      await take();
    };
    await limit('finish', () => finishBatch(redis, lease, newest), alone);
    await limit('move', () => moveSlowest(redis, tenant), full);
  });

  test('on the largest entries', async () => {
    await fill(64, 250_000);
    await limit('take', take);
  });
});
