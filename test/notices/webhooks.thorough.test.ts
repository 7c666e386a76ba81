/**
 * Webhooks through a whole service: an instance, a worker, a database and a receiver (docs/specification.md#webhooks).
 */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../scripts/freePort.ts';
import { type RedisNode, startRedisNode } from '../../scripts/redisServer.ts';
import { createRedis, type RedisClient } from '../../src/redis/client.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { parseSamples } from '../support/samples.ts';
import { type Instance, startInstance } from '../support/service.ts';
import {
  databaseEnv,
  enrol,
  KINDS,
  openStore,
  type Session,
  signIn,
  storeTenant,
  type TestDatabase,
} from '../support/tenancy.ts';
import { until } from '../support/until.ts';

const NOTICES = '/api/v1/Tenant/notices';
const Made = z.looseObject({ id: z.string(), secret: z.string() });

const Body = z.object({ data: z.object({ events: z.array(z.unknown()) }) });

let node: RedisNode;
let database: TestDatabase;
let redis: RedisClient;
let instance: Instance;
let worker: Instance;
let owner: Session;
let receiver: Receiver;
beforeAll(async () => {
  // Workers of other tests, with other databases, must not take the hints.
  [node, database, receiver] = await Promise.all([
    startRedisNode(() => {}, await freePort()),
    KINDS.Postgres(),
    startReceiver(),
  ]);
  const redisUrl = `redis://127.0.0.1:${node.port}`;
  const store = await openStore(database.url, redisUrl);
  const own = await storeTenant(store);
  await enrol(store, own.tenant, 'owner');
  const allowed = { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_ALLOW_HTTP: 'true' };
  const env = { ...databaseEnv(database.url), ...allowed, METRICS_PORT: '0' };
  instance = await startInstance({ keys: [own], redisUrl, env: { ...env, ROLE: 'api' } });
  worker = await startInstance({ keys: [own], redisUrl, env: { ...env, ROLE: 'worker' }, includes: {} });
  await until('the tenant is loaded', async () => (await instance.available('any')).status === 200);
  redis = createRedis(redisUrl, () => {});
  owner = await signIn(store.redis, own.tenant);
  await store.close();
});
afterAll(async () => {
  redis.disconnect();
  await Promise.all([instance.stop(), worker.stop(), receiver.stop()]);
  await Promise.all([node.stop(), database.drop()]);
});

test('a change arrives, signed; a 410 disables the subscription, which people can see', async () => {
  const asked = { kind: 'webhook', label: 'deployer', url: receiver.url, types: ['*'] };
  const made = Made.parse((await owner.request(instance.url, 'POST', NOTICES, asked)).body);
  const beganAt = performance.now();
  await instance.reserve({ resource: 'staging', requester: 'ann' });
  const got = await until('it arrives', () => receiver.got[0]);
  expect(performance.now() - beganAt).toBeLessThan(4000);
  const body = new Webhook(made.secret).verify(got.body, {
    'webhook-id': String(got.headers['webhook-id']),
    'webhook-timestamp': String(got.headers['webhook-timestamp']),
    'webhook-signature': String(got.headers['webhook-signature']),
  });
  expect(body).toMatchObject({ type: 'holdfast.events' });
  const { events } = Body.parse(body).data;
  expect(events.at(-1)).toMatchObject({ type: 'RESERVED', resource: 'staging', requester: 'ann' });
  await until('it is counted', async () => parseSamples(await worker.scrape()).get(DELIVERED) === 1);

  receiver.answer((response) => response.writeHead(410).end());
  await instance.reserve({ resource: 'production', requester: 'ann' });
  const disabled = await until('it is disabled', async () => {
    const { body: now } = await owner.request<{ enabled: boolean }>(instance.url, 'GET', `${NOTICES}/${made.id}`);
    return now.enabled ? null : now;
  });
  expect(disabled).toMatchObject({ enabled: false, stoppedBy: 'GONE' });
});

const DELIVERED = 'holdfast_notice_attempts_total{kind="webhook",result="delivered"}';
