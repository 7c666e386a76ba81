/** What ends with a key, at two instances on one database (docs/specification.md#restricted-keys). */
import { beforeAll, expect, test } from 'vitest';
import { createClient } from '../support/client.ts';
import { poll, queue, wanted } from '../support/polls.ts';
import { type Session, signIn } from '../support/tenancy.ts';
import { one, other, own, store, useTwoInstances } from '../support/twoInstances.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

interface Key {
  readonly id: string;
  readonly key: string;
}

const KEYS = '/api/v1/Tenant/keys';
let session: Session;
useTwoInstances('Pro');
beforeAll(async () => {
  session = await signIn(store.redis, own.tenant);
});

const ask = (method: string, path = '', body?: unknown) => session.request<Key>(one.url, method, KEYS + path, body);
const reserve = async ({ key }: Key, resource: string, instance = other) =>
  (await createClient(instance.url, key).reserve({ resource, requester: 'r', ttlSeconds: 60 })).status;

test('a key that ends: from then on 401, its streams and long polls end, its reservations stay', async () => {
  await one.reserve({ resource: 'e', requester: 'q' });
  // Time enough for the next four calls on a slow machine.
  const endsAt = Date.now() + 5000;
  const { body: key } = await ask('POST', '', { expiresAt: new Date(endsAt).toISOString() });
  const subscriber = await watch({ url: other.url, key: key.key });
  const held = poll({ url: other.url, key: key.key }, [wanted('e', 'r')]);
  await queue(one, 'r to wait', (waiting) => waiting.length === 1);
  expect(await reserve(key, 'kept')).toBe(200);
  // Requests of a batch are refused together.
  const statuses = await until('the end', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => reserve(key, 'kept')));
    return all.includes(401) ? all : null;
  });
  expect(new Set(statuses).has(403)).toBe(false);
  expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
  expect(await Promise.all([reserve(key, 'kept'), reserve(key, 'kept', one)])).toEqual([401, 401]);
  await until('the end of the stream', () => subscriber.ended === 'in good order');
  expect((await held.response).status).toBe(401);
  expect((await one.active('?resource=kept')).body).toHaveLength(1);
  expect((await ask('GET', `/${key.id}`)).status).toBe(200);
});
