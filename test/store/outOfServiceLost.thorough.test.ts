/**
 * A worker copies what is out of service within 10 s, and a Redis that has lost all its data hands out none of it
 * (docs/specification.md#condition).
 */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import { outOfService } from '../../src/store/schema.ts';
import { type Instance, startInstance } from '../support/service.ts';
import { databaseEnv, makeStore, type OwnStore, storeTenant } from '../support/tenancy.ts';
import { until } from '../support/until.ts';

const WITHIN_MS = 10_000;

let server: RedisServer;
let store: OwnStore;
let service: Instance;
beforeAll(async () => {
  server = await startRedis(() => {});
  store = await makeStore({ redisUrl: server.url });
  const keys = [await storeTenant(store)];
  service = await startInstance({
    keys,
    redisUrl: server.url,
    env: { ...databaseEnv(store.url), ROLE: 'all' },
  });
});
afterAll(async () => {
  await service.stop();
  await store.close();
  await server.stop();
});

const copied = async () =>
  (
    await store.database.run((db) => db.select().from(outOfService).where(eq(outOfService.tenantId, service.tenant)))
  ).map(({ slot, reason }) => [slot, reason]);
const statusOf = async (resource: string) =>
  (await service.reserve({ resource, requester: 'user' })).body[0]?.explanation;

test('a slot that was out of service stays so when Redis has lost everything', async () => {
  await service.register({ name: 'phone' }, { name: 'pool', capacity: 2 });
  const setAt = performance.now();
  await service.setCondition(
    { resource: 'phone', condition: 'out', reason: 'display dark' },
    { resource: 'pool_1', condition: 'out' },
  );
  await until('the copy is there', async () => (await copied()).length === 2);
  expect(performance.now() - setAt).toBeLessThan(WITHIN_MS);
  await service.redis.flushall();
  expect(await statusOf('phone')).toBe('NOT_AVAILABLE: phone is out of service: display dark');
  expect(await statusOf('pool_1')).toBe('NOT_AVAILABLE: pool_1 is out of service');
  expect(await statusOf('pool')).toBe('ACQUIRED');
  await service.setCondition({ resource: 'phone', condition: 'ready' });
  expect(await statusOf('phone')).toBe('ACQUIRED');
  await until('the copy has it no longer', async () => (await copied()).length === 1);
});
