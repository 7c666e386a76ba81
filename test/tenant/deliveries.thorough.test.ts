/**
 * Tests of subscriptions, and the attempts to deliver to them (docs/specification.md#subscriptions).
 */

import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Instance, startInstance } from '../support/service.ts';
import { databaseEnv, makeStore, type OwnStore, type Session, signIn, storeTenant } from '../support/tenancy.ts';
import { until } from '../support/until.ts';

const NOTICES = '/api/v1/Tenant/notices';
let store: OwnStore;
let holdfast: Instance;
let receiver: Receiver;
let owner: Session;
beforeAll(async () => {
  store = await makeStore();
  const own = await storeTenant(store, 'Pro');
  const allowed = { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_ALLOW_HTTP: 'true' };
  const env = { ...databaseEnv(store.url), ...allowed, ROLE: 'all' };
  [holdfast, receiver] = await Promise.all([startInstance({ keys: [own], env }), startReceiver()]);
  owner = await signIn(store.redis, own.tenant);
});
afterAll(async () => {
  await Promise.all([holdfast.stop(), receiver.stop()]);
  await store.close();
});

interface Made {
  id: string;
  secret: string;
}
const create = async (more: object = {}) =>
  (
    await owner.request<Made>(holdfast.url, 'POST', NOTICES, {
      kind: 'webhook',
      label: 'hook',
      url: receiver.url,
      ...more,
    })
  ).body;
const at = <Body = Record<string, unknown>>(method: string, id: string, path: string, who = owner) =>
  who.request<Body>(holdfast.url, method, `${NOTICES}/${id}${path}`);
const deliveries = async (id: string) => (await at<object[]>('GET', id, '/deliveries')).body;

/** The last request that the receiver got. */
function lastGot() {
  const got = receiver.got.at(-1);
  if (got === undefined) throw new Error('the receiver got nothing');
  const headers = Object.fromEntries(Object.entries(got.headers).map(([name, value]) => [name, String(value)]));
  return { ...got, headers };
}

describe('a test of a subscription', () => {
  test('sends a signed event of type TEST, also to a disabled one, and is in the list of attempts', async () => {
    const { id, secret } = await create({ enabled: false });
    const { status, body } = await at('POST', id, '/test');
    expect([status, body]).toEqual([200, { status: 204, fault: null, durationMs: expect.any(Number) }]);
    const { headers, body: sent, webhookId } = lastGot();
    const verified = new Webhook(secret).verify(sent, headers);
    expect(verified).toMatchObject({ type: 'holdfast.events', data: { events: [{ type: 'TEST' }] } });
    const attempt = { at: expect.stringMatching(/Z$/), webhookId, attempt: 1, events: 0, ...body };
    expect(await deliveries(id)).toEqual([attempt]);
    await at('DELETE', id, '');
    expect((await at('GET', id, '/deliveries')).status).toBe(404);
  });

  test('after a rotation is signed with both secrets', async () => {
    const { id, secret } = await create({ enabled: false });
    const { body: rotated } = await at<Made>('POST', id, '/rotate');
    await at('POST', id, '/test');
    const { headers, body } = lastGot();
    for (const one of [secret, rotated.secret]) expect(() => new Webhook(one).verify(body, headers)).not.toThrow();
    await at('DELETE', id, '');
  });

  test('tells why it failed, without the address', async () => {
    const { id } = await create({ enabled: false });
    receiver.answer((response) => response.writeHead(500).end('secret of the receiver'));
    expect((await at('POST', id, '/test')).body).toMatchObject({ status: 500, fault: 'The response has status 500.' });
    receiver.answer((response) => response.destroy());
    expect((await at('POST', id, '/test')).body).toMatchObject({
      status: null,
      fault: 'The connection was closed before the response.',
    });
    expect(JSON.stringify(await deliveries(id))).not.toMatch(/127|secret/);
    expect(await deliveries(id)).toHaveLength(2);
    receiver.answer((response) => response.writeHead(204).end());
    await at('DELETE', id, '');
  });

  test('is refused with 429 while two others of the tenant are under way on the instance', async () => {
    const { id } = await create({ enabled: false });
    const waiting: (() => void)[] = [];
    receiver.answer((response) => waiting.push(() => response.writeHead(204).end()));
    const running = [at('POST', id, '/test'), at('POST', id, '/test')];
    await until('two are under way', () => waiting.length === 2);
    expect(await at('POST', id, '/test')).toMatchObject({ status: 429, body: { limitType: 'ConcurrentTests' } });
    for (const answer of waiting) answer();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    receiver.answer((response) => response.writeHead(204).end());
    expect((await at('POST', id, '/test')).status).toBe(200);
    await at('DELETE', id, '');
  });

  test('of another tenant is unknown, and so are its attempts', async () => {
    const { id } = await create({ enabled: false });
    const stranger = await signIn(store.redis, (await storeTenant(store)).tenant);
    expect((await at('POST', id, '/test', stranger)).status).toBe(404);
    expect((await at('GET', id, '/deliveries', stranger)).status).toBe(404);
    await at('DELETE', id, '');
  });
});

/** The events that the receiver has got since a number of requests. */
const eventsSince = (requests: number) =>
  receiver.got
    .slice(requests)
    .flatMap(({ body }) => z.array(z.looseObject({ type: z.string() })).parse(JSON.parse(body).data.events));

describe('a subscription', () => {
  test('gets what happens after the call that makes it, and after one that enables it again a GAP first', async () => {
    const reserve = (resource: string) => holdfast.reserve({ resource, requester: 'a' });
    const typesOf = (requests: number) => eventsSince(requests).map(({ type }) => type);
    await reserve('before');
    let since = receiver.got.length;
    const { id } = await create({ types: ['RESERVED'] });
    await reserve('first');
    await until('it comes', () => typesOf(since).length > 0);
    expect(eventsSince(since)).toMatchObject([{ type: 'RESERVED', resource: 'first' }]);
    await owner.request(holdfast.url, 'PUT', `${NOTICES}/${id}`, { enabled: false });
    since = receiver.got.length;
    await reserve('dropped');
    await owner.request(holdfast.url, 'PUT', `${NOTICES}/${id}`, { enabled: true });
    await reserve('second');
    await until('it comes', () => typesOf(since).includes('RESERVED'));
    expect(eventsSince(since)).toMatchObject([{ type: 'GAP' }, { type: 'RESERVED', resource: 'second' }]);
    await at('DELETE', id, '');
    since = receiver.got.length;
    await reserve('third');
    const { id: next } = await create({ types: ['RESERVED'], prefix: 'l' });
    await reserve('fourth');
    await reserve('last');
    await until('it comes', () => typesOf(since).length > 0);
    expect(eventsSince(since)).toMatchObject([{ resource: 'last' }]);
    await at('DELETE', next, '');
  });

  test('whose receiver answers 410 is disabled, and the audit trail says so', async () => {
    receiver.answer((response) => response.writeHead(410).end());
    const { id } = await create({ types: ['RESERVED'] });
    await holdfast.reserve({ resource: 'gone', requester: 'a' });
    const isDisabled = async () => (await at('GET', id, '')).body.stoppedBy === 'GONE';
    await until('it is disabled', isDisabled);
    expect((await at('GET', id, '')).body).toMatchObject({ enabled: false });
    expect(await deliveries(id)).toMatchObject([{ attempt: 1, events: 1, status: 410 }]);
    const trail = await owner.request<object>(holdfast.url, 'GET', '/api/v1/Tenant/audit?action=notice.disable');
    expect(trail.body).toMatchObject({
      entries: [{ actor: 'service', address: null, details: { id, reason: 'GONE' } }],
    });
    receiver.answer((response) => response.writeHead(204).end());
    expect((await at('POST', id, '/test')).body).toMatchObject({ status: 204 });
    const enabled = await owner.request<object>(holdfast.url, 'PUT', `${NOTICES}/${id}`, { enabled: true });
    expect(enabled.body).toMatchObject({ enabled: true, stoppedBy: null });
    await at('DELETE', id, '');
  });
});
