/**
 * Keys with a permission, a prefix and an end, made and changed by calls (docs/specification.md#restricted-keys), at
 * two instances on one database.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { ask as askPage } from '../support/ask.ts';
import { createClient } from '../support/client.ts';
import { type Session, signIn, storeTenant } from '../support/tenancy.ts';
import { one, other, own, store, useTwoInstances } from '../support/twoInstances.ts';
import { until } from '../support/until.ts';

interface Key {
  readonly id: string;
  readonly usedAt: string | null;
  readonly key: string;
}

const KEYS = '/api/v1/Tenant/keys';
let session: Session;
useTwoInstances('Pro');
beforeAll(async () => {
  session = await signIn(store.redis, own.tenant);
});

const ask = <Body = Key>(method: string, path = '', body?: unknown) =>
  session.request<Body>(one.url, method, KEYS + path, body);
const create = async (fields: object) => (await ask('POST', '', fields)).body;
const reserve = async ({ key }: Key, resource: string, instance = other) =>
  (await createClient(instance.url, key).reserve({ resource, requester: 'r', ttlSeconds: 60 })).status;
const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('making a key', () => {
  test('takes a permission, a prefix and an end, and shows them in all answers', async () => {
    const limits = { label: 'ci', permission: 'reserve', prefix: 'ci/', expiresAt: inFuture(3_600_000) };
    const answer = await ask('POST', '', limits);
    expect(answer).toMatchObject({ status: 201, body: { ...limits, usedAt: null, isDefault: false } });
    const { key, ...listed } = answer.body;
    expect((await ask('GET', `/${listed.id}`)).body).toEqual(listed);
    expect((await ask<Key[]>('GET')).body).toContainEqual(listed);
    expect((await ask('POST', `/${listed.id}/rotate`)).body).toMatchObject(limits);
    expect(key).toMatch(/^hf_/);
  });

  test('has the rights of its permission', async () => {
    const [read, reserving] = await Promise.all([create({ permission: 'read' }), create({ permission: 'reserve' })]);
    expect([await reserve(read, 'p'), await reserve(reserving, 'p')]).toEqual([403, 200]);
    for (const { key } of [read, reserving]) {
      const client = createClient(other.url, key);
      expect((await client.active()).status).toBe(200);
      expect([(await client.register({ name: 'p2' })).status, (await client.reset()).status]).toEqual([403, 403]);
    }
  });

  test('with the same id again answers 200 with the same key; with other content 400', async () => {
    const asked = { id: randomUUID(), label: 'once', permission: 'reserve', prefix: 'a/', expiresAt: inFuture(60_000) };
    const answers = await Promise.all([ask('POST', '', asked), session.request<Key>(other.url, 'POST', KEYS, asked)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    for (const more of [{ label: 'b' }, { permission: 'full' }, { prefix: '' }, { expiresAt: null }])
      expect(await ask('POST', '', { ...asked, ...more })).toMatchObject({ status: 400, body: 'the id is in use' });
    const stranger = await signIn(store.redis, (await storeTenant(store, 'Pro')).tenant);
    expect((await stranger.request(one.url, 'POST', KEYS, asked)).status).toBe(400);
  });

  test.each<[object, string]>([
    [{ permission: 'all' }, 'permission must be one of read, reserve, full'],
    [{ prefix: 'a>b' }, 'prefix must not contain >'],
    [{ prefix: 'x'.repeat(257) }, 'prefix must be 1 to 256'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt must be a time in the future'],
    [{ expiresAt: '2060-01-01T00:00:00Z' }, 'expiresAt must be a time in the future, at most 3653 days'],
    [{ id: 'x' }, 'id must be a UUID'],
  ])('%j: 400', async (body, message) => {
    expect(await ask('POST', '', body)).toMatchObject({ status: 400, body: expect.stringContaining(message) });
  });
});

describe('changing a key', () => {
  test('keeps its value and what is left out, and holds on every instance at once', async () => {
    const key = await create({ label: 'w' });
    expect(await reserve(key, 'c1')).toBe(200);
    const changed = await ask('PUT', `/${key.id}`, { permission: 'reserve', prefix: 'ci/' });
    expect(changed).toMatchObject({ status: 200, body: { label: 'w', permission: 'reserve', prefix: 'ci/' } });
    expect([await reserve(key, 'c2'), await reserve(key, 'ci/c2')]).toEqual([403, 200]);
    await ask('PUT', `/${key.id}`, { label: null, permission: 'full', prefix: '' });
    expect(await reserve(key, 'c2')).toBe(200);
    const trail = await session.request<{ entries: { action: string; details: object }[] }>(
      one.url,
      'GET',
      '/api/v1/Tenant/audit',
    );
    expect(JSON.stringify(trail.body)).toContain('key.change');
  });

  test('leaves the default key unrestricted', async () => {
    const [standard] = (await ask<Key[]>('GET')).body;
    const path = `/${standard?.id}`;
    for (const limits of [{ permission: 'read' }, { prefix: 'ci/' }, { expiresAt: inFuture(60_000) }])
      expect(await ask('PUT', path, limits)).toMatchObject({ status: 400, body: expect.stringContaining('default') });
    expect((await ask('PUT', path, { label: 'main' })).status).toBe(200);
    expect((await one.reserve({ resource: 'd', requester: 'r' })).status).toBe(200);
  });

  test('of one that was deleted, or is another tenant’s: 404', async () => {
    const { id } = await create({});
    await ask('DELETE', `/${id}`);
    expect([(await ask('GET', `/${id}`)).status, (await ask('PUT', `/${id}`, {})).status]).toEqual([404, 404]);
    const { id: own } = await create({});
    const stranger = await signIn(store.redis, (await storeTenant(store, 'Pro')).tenant);
    expect((await stranger.request(one.url, 'GET', `${KEYS}/${own}`)).status).toBe(404);
    expect((await stranger.request(one.url, 'PUT', `${KEYS}/${own}`, { label: 'x' })).status).toBe(404);
  });
});

test('pages lead through all keys by the header Link; without a query the list is whole', async () => {
  const all = (await ask<Key[]>('GET')).body.map(({ id }) => id);
  expect(all.length).toBeGreaterThan(4);
  const found: string[] = [];
  let next: string | undefined = `${KEYS}?limit=2`;
  while (next !== undefined) {
    const { body, headers }: Awaited<ReturnType<typeof ask<Key[]>>> = await session.request(one.url, 'GET', next);
    found.push(...body.map(({ id }) => id));
    next = /^<([^>]+)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1];
  }
  expect(found).toEqual(all.toSorted());
  expect((await ask('GET', '?limit=0')).status).toBe(400);
});

test('usedAt says when the key was last used', async () => {
  const key = await create({ label: 'used' });
  const before = Date.now();
  await reserve(key, 'u');
  const usedAt = await until('the use', async () => (await ask('GET', `/${key.id}`)).body.usedAt);
  expect(Math.abs(Date.parse(usedAt) - before)).toBeLessThan(10_000);
});

test('a key that ends: from then on 401', async () => {
  const key = await create({ expiresAt: inFuture(60_000) });
  expect(await reserve(key, 'before')).toBe(200);
  const endsAt = Date.now() + 1000;
  await ask('PUT', `/${key.id}`, { expiresAt: new Date(endsAt).toISOString() });
  await until('the end', async () => (await reserve(key, 'before')) === 401);
  expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
});

test('the page of keys shows the limits of a key, and takes and changes them', async () => {
  const headers = { Cookie: session.cookie, Origin: one.url };
  const page = `${one.url}/dashboard/access/keys`;
  const send = (form: string, fields: Record<string, string>) =>
    askPage(page + form, { method: 'POST', headers, body: new URLSearchParams(fields) });
  const day = `${new Date().getUTCFullYear() + 1}-01-31`;
  const limits = { label: 'limited', permission: 'reserve', prefix: 'ci/', ends: 'other', expiresAt: `${day}T12:00` };
  const path = (await send('', limits)).to ?? '';
  const id = new URL(path, page).searchParams.get('show') ?? '';
  const shown = await askPage(`${page}?edit=${id}`, { headers });
  for (const text of ['<code>ci/…</code>', `${day} 12:00:00`, `value="${day}T12:00"`, 'value="ci/"'])
    expect(shown.text).toContain(text);
  expect((await send('/change', { ...limits, id, prefix: 'cd/', ends: '' })).to).toContain('done=saved');
  const changed = (await askPage(page, { headers })).text;
  expect([changed.includes('cd/…'), changed.includes(day)]).toEqual([true, false]);
  expect(await send('/change', { ...limits, id, prefix: 'a>' })).toMatchObject({
    status: 400,
    text: expect.stringContaining('Prefix must not contain &gt;.'),
  });
});
