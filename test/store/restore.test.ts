/**
 * After one of Redis and the database is restored from an older copy, the statement of docs/operations/backup.md makes
 * Redis accept the keys of the database alone, and know its definitions. Reservations stay.
 */
import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import { digestOf, makeKey } from '../../src/identity/credentials.ts';
import { tenantKey } from '../../src/redis/keys.ts';
import { createClient } from '../support/client.ts';
import { type Instance, startInstance } from '../support/service.ts';
import { databaseEnv, makeStore, type OwnStore, storeTenant } from '../support/tenancy.ts';
import { until } from '../support/until.ts';

describe('a database that was restored', () => {
  const [, statement = ''] =
    /^ *```sql\n *(UPDATE .*;)$/m.exec(readFileSync('docs/operations/backup.md', 'utf8')) ?? [];

  // Of each test its own: workers of other tests would take runs of the jobs, and the next run would be later.
  let server: RedisServer;
  let store: OwnStore;
  beforeEach(async () => {
    server = await startRedis(() => {});
    store = await makeStore({ redisUrl: server.url });
  });
  afterEach(async () => {
    await store.close();
    await server.stop();
  });

  /** Starts a service with a tenant that has registered a pool and reserved one of its slots. */
  async function startWithTenant(): Promise<Instance> {
    const keys = [await storeTenant(store)];
    const service = await startInstance({ keys, redisUrl: server.url, env: databaseEnv(store.url) });
    await service.register({ name: 'gpu', capacity: 2 });
    expect((await service.reserve({ resource: 'gpu', requester: 'worker' })).body[0]?.status).toBe('ACQUIRED');
    return service;
  }

  /** Does what the page says, with one worker. */
  async function restored(service: Instance): Promise<Instance> {
    await service.stop();
    await store.database.run((db) => db.execute(sql.raw(statement)));
    const keys = [{ key: service.key, tenant: service.tenant, tier: 'Enterprise' as const }];
    return startInstance({ keys, redisUrl: server.url, env: { ...databaseEnv(store.url), ROLE: 'all' } });
  }

  const statusOf = async (service: Instance, key: string) =>
    (await createClient(service.url, key).request('GET', '/api/v1/Resource/definitions')).status;

  describe.each([
    ['is older than the database, by changes of long ago', '0'],
    ['is newer than the database', '1000'],
  ])('a Redis that %s', (_, version) => {
    test('accepts the keys and has the definitions of the database after the statement, and keeps what is held', async () => {
      const before = await startWithTenant();
      const { key, tenant, redis } = before;
      // The copy in Redis has another key in place of the tenant's.
      const other = makeKey(tenant);
      await redis.hdel(tenantKey(tenant), `key:${digestOf(key)}`);
      await redis.hset(tenantKey(tenant), { [`key:${digestOf(other)}`]: '', version, definitionsVersion: version });
      await store.database.run((db) => db.execute(sql`UPDATE tenants SET changed_at = now() - interval '3 days'`));
      expect([await statusOf(before, key), await statusOf(before, other)]).toEqual([401, 200]);

      const after = await restored(before);
      await until('the copy', async () => (await statusOf(after, other)) === 401);
      expect(await statusOf(after, key)).toBe(200);
      const { body } = await after.request<{ name: string }[]>('GET', '/api/v1/Resource/definitions');
      expect(body.map(({ name }) => name)).toEqual(['gpu']);
      expect((await after.reserve({ resource: 'gpu', requester: 'worker' })).body[0]?.status).toBe('ALREADY_HAD');
      await after.stop();
    });
  });
});
