/**
 * Event streams over time: keepalives, renewals of their leases, leases that end soon, and a Redis that does not answer
 * (docs/specification.md#events). The tests wait for real time, side by side.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startRedis } from '../../scripts/redisServer.ts';
import { DEFAULT_SETTINGS } from '../../src/domain/tenants.ts';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { loadTenant } from '../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { changeHot, hotOf } from '../support/hotRecord.ts';
import { redisAddress } from '../support/redisAddress.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

let looking: Redis;
beforeAll(() => {
  looking = new Redis(redisAddress(inject('redisUrl')));
});
afterAll(() => looking.disconnect());

describe.concurrent('a stream', () => {
  test('sends `: keepalive` every 15 s', async () => {
    const began = performance.now();
    const holdfast = await startInstance();
    const stream = await watch(holdfast);
    // The instance counts from its start. A busy machine delays this timer as it delays that of the instance.
    const due = pause(15_000).then(() => performance.now());
    await until('a keepalive', () => stream.comments.length === 2);
    const cameAt = performance.now();
    expect(stream.comments).toEqual([': open', ': keepalive']);
    expect(cameAt - began).toBeGreaterThan(14_900);
    expect(cameAt - (await due)).toBeLessThan(1000);
    stream.close();
    await holdfast.stop();
  });

  test('misses a message that never comes, at a renewal', async () => {
    const holdfast = await startInstance();
    const stream = await watch(holdfast);
    const { messages } = await hotOf(looking, holdfast.tenant);
    await changeHot(looking, holdfast.tenant, { messages: messages + 1 });
    await until('it ends', () => stream.ended === 'in good order', 40_000);
    await holdfast.stop();
  });

  test('ends within seconds when Redis stops answering', async () => {
    const server = await startRedis(() => {});
    const holdfast = await startInstance({ redisUrl: server.url });
    const stream = await watch(holdfast);
    process.kill(server.pid, 'SIGSTOP');
    await until('it ends', () => stream.ended === 'in good order', 15_000);
    expect((await holdfast.request('GET', '/api/v1/events')).status).toBe(503);
    process.kill(server.pid, 'SIGCONT');
    await holdfast.stop();
    await server.stop();
  });

  test('has ENDS_SOON within 2 s, though no call comes, and before the lease ends', async () => {
    const key = makeConfiguredKey(makeTenant());
    const holdfast = await startInstance({ keys: [key], env: { ROLE: 'all' } });
    defineScripts(holdfast.redis, loadScripts(DEFAULT_TIERS));
    const record = configuredTenants([key]).get(key.tenant);
    if (record === undefined) throw new Error('the tenant is not configured');
    const changed = { ...record, ...DEFAULT_SETTINGS, endsSoonSeconds: 4 };
    await loadTenant(holdfast.redis, changed, { definitionsVersion: 0, lease: null });
    const stream = await watch(holdfast);
    await holdfast.reserve({ resource: 'lab', requester: 'ann', ttlSeconds: 8 });
    await until('ENDS_SOON', () => stream.events.some(({ type }) => type === 'ENDS_SOON'), 20_000);
    const { timestamp, expiresAt } = stream.events.find(({ type }) => type === 'ENDS_SOON') ?? {};
    const leftMs = Date.parse(expiresAt ?? '') - Date.parse(timestamp ?? '');
    expect(leftMs).toBeLessThanOrEqual(4000);
    expect(leftMs).toBeGreaterThan(2000);
    await stream.count(4);
    expect(stream.events.map(({ type }) => type)).toEqual([
      'RESERVED',
      'ENDS_SOON',
      'RESERVATION_EXPIRED',
      'UNRESERVED',
    ]);
    stream.close();
    await holdfast.stop();
  });
});
