/**
 * API keys (docs/specification.md#identity), at two instances on one database.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { Sealer } from '../../src/identity/credentials.ts';
import { showKey } from '../../src/store/keys.ts';
import { apiKeys } from '../../src/store/schema.ts';
import { forget } from '../support/hotRecord.ts';
import { type Instance, startInstance } from '../support/service.ts';
import { databaseEnv, KEY_SECRET, type Session, signIn, storeTenant } from '../support/tenancy.ts';
import { one, other, own, store, useTwoInstances } from '../support/twoInstances.ts';
import { watch } from '../support/watch.ts';

interface Key {
  id: string;
  label: string | null;
  isDefault: boolean;
  createdAt: string;
  rotatedAt: string | null;
  key?: string;
}

const KEYS = '/api/v1/Tenant/keys';
let session: Session;
useTwoInstances('Starter');
beforeAll(async () => {
  session = await signIn(store.redis, own.tenant);
});

const list = async () => (await session.request<Key[]>(one.url, 'GET', KEYS)).body;
const create = (label?: string) => session.request<Key>(one.url, 'POST', KEYS, label === undefined ? {} : { label });
const remove = (id: string) => session.request<{ deleted: string }>(one.url, 'DELETE', `${KEYS}/${id}`);
const statusWith = async (instance: Instance, key: string) =>
  (await instance.request('GET', '/api/v1/Resource/available/r', undefined, { 'X-Api-Key': key })).status;

describe('the default key', () => {
  test('is there from the start, is listed first and without its value', async () => {
    expect(await list()).toEqual([
      {
        id: expect.any(String),
        label: null,
        isDefault: true,
        permission: 'full',
        prefix: '',
        expiresAt: null,
        createdAt: expect.any(String),
        rotatedAt: null,
        usedAt: null,
      },
    ]);
    expect(await statusWith(one, own.key)).toBe(200);
  });

  test('cannot be deleted', async () => {
    const [key] = await list();
    expect(await remove(key?.id ?? '')).toMatchObject({ status: 400, body: 'the default key can only be rotated' });
    expect(await statusWith(other, own.key)).toBe(200);
  });
});

describe('a new key', () => {
  test('is shown, works on every instance at once, and its label is in events', async () => {
    const { status, body } = await create('worker');
    expect(status).toBe(201);
    expect(body).toMatchObject({ label: 'worker', isDefault: false, key: expect.stringMatching(/^hf_t-\w+_\w{32,}$/) });
    const subscriber = await watch(other);
    await other.request('POST', '/api/v1/Reservation/reserve', [{ resource: 'k', requester: 'q' }], {
      'X-Api-Key': body.key ?? '',
    });
    expect((await subscriber.count(1))[0]).toMatchObject({ type: 'RESERVED', apiKeyLabel: 'worker' });
    subscriber.close();
    await remove(body.id);
  });

  test.each([[{ label: '' }], [{ label: 'x'.repeat(65) }], [{ label: 5 }], [[]], ['text']])(
    'of %j: 400',
    async (body) => {
      const answer = await session.request(one.url, 'POST', KEYS, body);
      expect([answer.status, typeof answer.body]).toEqual([400, 'string']);
    },
  );

  test('is kept as a digest and sealed, never in clear', async () => {
    const { body } = await create('sealed');
    const stored = await store.database.run((db) => db.select().from(apiKeys));
    expect(JSON.stringify(stored)).not.toContain(body.key);
    const sealed = await showKey(store, own.tenant, body.id, { actor: 'person:ann@id.example', address: null });
    expect(await new Sealer(KEY_SECRET).open(sealed)).toBe(body.key);
    await expect(new Sealer('another secret').open(sealed)).rejects.toThrow();
    expect([...one.logged, ...other.logged].join('')).not.toContain(body.key);
    await remove(body.id);
  });

  test('beyond the number of the tier is refused, also to simultaneous calls, and streams get an event', async () => {
    const subscriber = await watch(other);
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, i) =>
        session.request<Key>([one, other][i % 2]?.url ?? '', 'POST', KEYS, { label: `n${i}` }),
      ),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(9);
    expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({
      limitType: 'ApiKeys',
      limit: 10,
      tier: 'Starter',
      upgradeRequired: true,
      retryAfter: 60,
    });
    expect((await subscriber.count(1))[0]).toMatchObject({
      type: 'TIER_LIMIT_REACHED',
      limitType: 'ApiKeys',
      limit: 10,
    });
    subscriber.close();
    await Promise.all(created.map(({ body }) => remove(body.id)));
    expect(await list()).toHaveLength(1);
  });
});

describe('a key that was made when KEY_SECRET was another one', () => {
  const unreadable = expect.stringContaining('KEY_SECRET was another one when it was made');
  let changed: Instance;
  beforeAll(async () => {
    const env = { ...databaseEnv(store.url), KEY_SECRET: 'another secret of 32 characters or more' };
    changed = await startInstance({ keys: [own], env });
    return changed.stop;
  });
  const see = async (path: string) => {
    const response = await fetch(`${changed.url}${path}`, { headers: { Cookie: session.cookie } });
    return { status: response.status, text: await response.text() };
  };

  test('works, and is not shown: the page and the call say why', async () => {
    const [key] = await list();
    expect(await statusWith(changed, own.key)).toBe(200);
    expect(await see('/dashboard/overview?show')).toMatchObject({
      status: 200,
      text: expect.stringContaining('Its value cannot be shown, because KEY_SECRET has changed'),
    });
    expect(await see(`/dashboard/access/keys?show=${key?.id}`)).toMatchObject({ status: 400, text: unreadable });
    const asked = { id: '6f1c9b9e-0d5a-4c0e-9a51-0f7a4a4f1d11', label: 'again' };
    await session.request(one.url, 'POST', KEYS, asked);
    expect(await session.request(changed.url, 'POST', KEYS, asked)).toMatchObject({ status: 400, body: unreadable });
    await remove(asked.id);
  });
});

describe('rotation', () => {
  test('holds on every instance from the moment it is answered', async () => {
    const { body } = await create('rotating');
    let key = body.key ?? '';
    for (let round = 0; round < 50; round++) {
      const [asked, answering] = round % 2 === 0 ? [one, other] : [other, one];
      const answer = await session.request<Key>(asked.url, 'POST', `${KEYS}/${body.id}/rotate`);
      const [before, after] = await Promise.all([
        statusWith(answering, key),
        statusWith(answering, answer.body.key ?? ''),
      ]);
      expect([before, after]).toEqual([401, 200]);
      key = answer.body.key ?? '';
    }
    expect((await list()).find(({ id }) => id === body.id)?.rotatedAt).toEqual(expect.any(String));
    await remove(body.id);
  });

  test('shows the new value from then on, on every instance, and never the old one', async () => {
    const { body } = await create('shown');
    const shown = async ({ url }: Instance) => {
      const headers = { Cookie: session.cookie };
      return (await fetch(`${url}/dashboard/access/keys?show=${body.id}`, { headers })).text();
    };
    expect(await shown(one)).toContain(body.key);
    const { body: rotated } = await session.request<Key>(one.url, 'POST', `${KEYS}/${body.id}/rotate`);
    for (const instance of [one, other]) {
      expect(await shown(instance)).toContain(rotated.key);
      expect(await shown(instance)).not.toContain(body.key);
    }
    await remove(body.id);
  });

  test('ends the old value’s streams', async () => {
    const { body } = await create();
    const subscriber = await watch({ url: other.url, key: body.key ?? '' });
    await session.request(one.url, 'POST', `${KEYS}/${body.id}/rotate`);
    await expect.poll(() => subscriber.ended).toBe('in good order');
    await remove(body.id);
  });
});

describe('deletion', () => {
  test('holds on every instance from the moment it is answered', async () => {
    for (let round = 0; round < 30; round++) {
      const { body } = await create();
      await remove(body.id);
      expect(await statusWith(round % 2 === 0 ? one : other, body.key ?? '')).toBe(401);
    }
  });

  test('and rotation hold where Redis has lost the tenant meanwhile', async () => {
    const { body } = await create();
    for (let round = 0; round < 20; round++) {
      await forget(store.redis, own.tenant);
      session = await signIn(store.redis, own.tenant);
      // Somebody makes the tenant be loaded just when a key of it changes.
      const [rotated] = await Promise.all([
        session.request<Key>(one.url, 'POST', `${KEYS}/${body.id}/rotate`),
        statusWith(other, own.key),
      ]);
      expect(await statusWith(other, body.key ?? '')).toBe(401);
      expect(await statusWith(other, rotated.body.key ?? '')).toBe(200);
      body.key = rotated.body.key ?? '';
    }
    await remove(body.id);
  });

  test('of what is not the tenant’s: 404', async () => {
    const stranger = await signIn(store.redis, (await storeTenant(store, 'Starter')).tenant);
    const [key] = await list();
    expect((await stranger.request(one.url, 'DELETE', `${KEYS}/${key?.id}`)).status).toBe(404);
    expect((await stranger.request(one.url, 'POST', `${KEYS}/${key?.id}/rotate`)).status).toBe(404);
    expect((await remove('7b0d9c51-6f0b-4a83-9a3f-2f6f0d2a4a11')).status).toBe(404);
    expect((await remove('no-id')).status).toBe(400);
    expect(await statusWith(one, own.key)).toBe(200);
  });
});

describe('who may manage keys', () => {
  test('a key of the tenant: 403', async () => {
    for (const [method, path] of [
      ['GET', KEYS],
      ['POST', KEYS],
    ] as const)
      expect((await one.request(method, path, method === 'POST' ? {} : undefined)).status).toBe(403);
  });

  test('no session, or one that has ended: 401', async () => {
    const ended = await signIn(store.redis, own.tenant);
    await forget(store.redis, own.tenant);
    expect((await ended.request(one.url, 'GET', KEYS)).status).toBe(401);
    expect((await one.request('GET', KEYS, undefined, { 'X-Api-Key': '' })).status).toBe(401);
    session = await signIn(store.redis, own.tenant);
  });

  test('a page of another site: 403, whatever the cookie says', async () => {
    const foreign: Record<string, string>[] = [
      { Origin: 'https://elsewhere.example' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: one.url },
      {},
    ];
    for (const headers of foreign) {
      const body = JSON.stringify({});
      const sent = { Cookie: session.cookie, 'Content-Type': 'application/json', ...headers };
      const { status } = await fetch(one.url + KEYS, { method: 'POST', headers: sent, body });
      expect(status).toBe(403);
    }
    expect(await list()).toHaveLength(1);
  });
});
