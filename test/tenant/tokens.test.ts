/**
 * The rights of a derived token (docs/specification.md#identity), also of one that waits, and its end.
 */

import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { jwtIssuers } from '../../src/store/issuersSchema.ts';
import { startInstance } from '../support/service.ts';
import { databaseEnv, signIn } from '../support/tenancy.ts';
import {
  audienceOf,
  exchange,
  free,
  one,
  other,
  provider,
  register,
  session,
  starter,
  store,
  tokenFor,
  unregister,
  useTokens,
  withToken,
} from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

useTokens();

describe('a derived token acts for its subject', () => {
  const R = '/api/v1/Reservation';

  test('which minimal results name, since the item may leave it out', async () => {
    const headers = { 'X-Api-Key': await tokenFor('bob'), Prefer: 'return=minimal' };
    const { body } = await one.request<unknown[]>('POST', `${R}/reserve`, [{ resource: 'bob-0' }], headers);
    expect(body).toEqual([expect.objectContaining({ requester: 'bob', status: 'ACQUIRED' })]);
    expect(body).not.toEqual([expect.objectContaining({ resource: 'bob-0' })]);
  });

  test('if an item names no requester, or that one, on every instance', async () => {
    const token = await tokenFor('bob');
    const { status, body } = await withToken(token)<ReserveResult[]>('POST', `${R}/reserve`, [
      { resource: 'bob-1' },
      { resource: 'bob-2', requester: 'bob' },
    ]);
    expect(status).toBe(200);
    expect(body.map(({ requester, status }) => [requester, status])).toEqual([
      ['bob', 'ACQUIRED'],
      ['bob', 'ACQUIRED'],
    ]);
    const releaseToken = body[0]?.releaseToken;
    const there = withToken(token, other);
    expect(
      (await there('POST', `${R}/renew`, [{ resource: 'bob-1', releaseToken, ttlSeconds: 60 }])).body,
    ).toMatchObject([{ requester: 'bob', status: 'RENEWED' }]);
    expect((await there('POST', `${R}/check`, [{ resource: 'bob-1' }])).body).toMatchObject([
      { heldByRequester: true },
    ]);
    expect((await there('POST', `${R}/unreserve`, [{ resource: 'bob-1', releaseToken }])).body).toMatchObject([
      { requester: 'bob', status: 'RELINQUISHED' },
    ]);
    expect(
      (
        await there('POST', `${R}/transaction`, {
          method: 'FIRST',
          requests: [{ requestType: 'RESERVE', resource: 'bob-3' }],
        })
      ).body,
    ).toMatchObject({ status: 'APPLIED', results: [{ requester: 'bob', status: 'ACQUIRED' }] });
  });

  test('another requester: 403, and nothing is applied', async () => {
    const call = withToken(await tokenFor('carol'));
    const mine = { resource: 'carol-1' };
    const theirs = { resource: 'carol-2', requester: 'dave' };
    for (const [path, body] of [
      ['reserve', [mine, theirs]],
      ['unreserve', [mine, theirs]],
      ['check', [mine, theirs]],
      [
        'renew',
        [
          { ...mine, ttlSeconds: 5 },
          { ...theirs, ttlSeconds: 5 },
        ],
      ],
      [
        'transaction',
        {
          method: 'AS_MANY_AS_POSSIBLE',
          requests: [mine, theirs].map((item) => ({ requestType: 'RESERVE', ...item })),
        },
      ],
    ] as const)
      expect([path, (await call('POST', `${R}/${path}`, body)).status]).toEqual([path, 403]);
    expect((await one.available('carol-1')).body).toBe(true);
  });

  test('does not release what another holds', async () => {
    const held = (await one.reserve({ resource: 'erin-1', requester: 'frank' })).body[0];
    const call = withToken(await tokenFor('erin'));
    const { body } = await call('POST', `${R}/unreserve`, [{ resource: 'erin-1', releaseToken: held?.releaseToken }]);
    expect(body).toMatchObject([{ status: 'DOESNT_OWN_RESERVATION' }]);
    expect((await one.available('erin-1')).body).toBe(false);
  });

  test('cannot reset, define, take what is not ready, nor see or manage the tenant: 403', async () => {
    const call = withToken(await tokenFor('grace'));
    for (const [method, path, body] of [
      ['POST', `${R}/reset`, undefined],
      ['POST', '/api/v1/Resource/register', [{ name: 'g' }]],
      ['DELETE', '/api/v1/Resource/g', undefined],
      ['PUT', '/api/v1/Resource/condition', [{ resource: 'g', condition: 'out' }]],
      ['POST', `${R}/reserve`, [{ resource: 'g', condition: 'dirty' }]],
      ['POST', `${R}/reserve`, [{ resource: 'g', condition: 'out' }]],
      ['GET', '/api/v1/Tenant', undefined],
      ['GET', '/api/v1/Tenant/keys', undefined],
      ['PUT', '/api/v1/Tenant/settings', { requireRegistration: true }],
      ['GET', '/api/v1/admin/tenants', undefined],
    ] as const)
      expect([path, (await call(method, path, body)).status]).toEqual([path, 403]);
  });

  test('reads, and subscribes', async () => {
    const call = withToken(await tokenFor('heidi'));
    for (const path of [
      'Resource/definitions',
      'Resource/tree',
      'Resource/available/h',
      'Reservation/activeReservations',
    ])
      expect((await call('GET', `/api/v1/${path}`)).status).toBe(200);
  });

  test('a token that names another subject than it was issued for is none', async () => {
    const token = await tokenFor('ivan');
    const ours = Buffer.from('ivan').toString('base64url');
    expect(token).toContain(`_${ours}`);
    const forged = token.replace(`_${ours}`, `_${Buffer.from('judy').toString('base64url')}`);
    expect((await withToken(forged)('GET', '/api/v1/Resource/tree')).status).toBe(401);
  });
});

describe('a derived token ends', () => {
  const kept = () => store.redis.keys(`{${starter.tenant}}:token:*`);

  test('when its time is up, and its stream with it', async () => {
    const before = await kept();
    const token = await tokenFor('kim');
    const [added = ''] = (await kept()).filter((key) => !before.includes(key));
    await store.redis.pexpire(added, 2000);
    const subscriber = await watch({ url: other.url, key: token });
    expect(subscriber.head).toContain(' 200 ');
    await until('the end of the stream', () => subscriber.ended === 'in good order');
    expect((await withToken(token, other)('GET', '/api/v1/Resource/tree')).status).toBe(401);
  });

  test('when its issuer is removed, on every instance and with its stream; those of other issuers live on', async () => {
    const [kept, removed] = [audienceOf('kept'), audienceOf('removed')];
    for (const audience of [kept, removed]) expect((await register(session, audience)).status).toBe(200);
    const issue = async (audience: string) => (await exchange(await provider.token('nat', audience))).body.token;
    const [alive, ended] = [await issue(kept), await Promise.all(Array.from({ length: 20 }, () => issue(removed)))];
    const see = async (token: string) => (await withToken(token, other)('GET', '/api/v1/Resource/tree')).status;
    const subscriber = await watch({ url: other.url, key: ended[0] ?? '' });
    expect(new Set(await Promise.all(ended.map(see)))).toEqual(new Set([200]));
    expect((await unregister(session, removed)).status).toBe(200);
    expect(new Set(await Promise.all(ended.map(see)))).toEqual(new Set([401]));
    expect(await see(alive)).toBe(200);
    await until('the end of the stream', () => subscriber.ended === 'in good order');
  });

  test('at the latest when a removal that was cut off half-way is repeated', async () => {
    const audience = audienceOf('cut-off');
    await register(session, audience);
    const { token } = (await exchange(await provider.token('olaf', audience))).body;
    // As if the instance had died once the database had done its part.
    await store.database.run((db) => db.delete(jwtIssuers).where(eq(jwtIssuers.audience, audience)));
    const see = async () => (await withToken(token)('GET', '/api/v1/Resource/tree')).status;
    expect(await see()).toBe(200);
    expect((await unregister(session, audience)).status).toBe(404);
    expect(await see()).toBe(401);
  });

  test('before anybody gets it, if its issuer is removed while it is made', async () => {
    const audience = audienceOf('overtaken');
    const published = await (await fetch(provider.jwksUrl)).text();
    const waiting: ServerResponse[] = [];
    const keys = createServer((_, response) => void waiting.push(response));
    await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
    const address = keys.address();
    const jwksUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    await register(session, audience, { jwksUrl });
    const exchanged = exchange(await provider.token('peggy', audience));
    await until('the keys are requested', () => waiting.length > 0);
    expect((await unregister(session, audience, other)).status).toBe(200);
    for (const response of waiting) response.end(published);
    const { status, body } = await exchanged;
    expect([status, body.error]).toEqual([401, 'The issuer of the JWT has been changed or removed. Exchange again.']);
    keys.close();
  });

  test('while its tenant is suspended: 403, and none are issued', async () => {
    const jwt = await provider.token('lea', audienceOf(starter.tenant));
    const { token } = (await exchange(jwt)).body;
    const admin = await startInstance({
      keys: [starter],
      env: { ...databaseEnv(store.url), ADMINS: 'root@id.example' },
    });
    const root = await signIn(store.redis, free.tenant, { email: 'root@id.example' });
    const turn = (what: string) => root.request(admin.url, 'POST', `/api/v1/admin/tenants/${starter.tenant}/${what}`);
    expect((await turn('suspend')).status).toBe(200);
    expect((await withToken(token)('GET', '/api/v1/Resource/tree')).status).toBe(403);
    expect((await exchange(jwt)).status).toBe(403);
    expect((await turn('resume')).status).toBe(200);
    expect((await withToken(token)('GET', '/api/v1/Resource/tree')).status).toBe(200);
    await admin.stop();
  });
});

const RESERVE = '/api/v1/Reservation/reserve';
const TRANSACTION = '/api/v1/Reservation/transaction';
const CANCEL = '/api/v1/Reservation/cancel';
const item = (fields: object) => ({ resource: 'r', ttlSeconds: 60, waitSeconds: 60, ...fields });
const set = (fields: object, requester?: string) => ({
  method: 'FIRST',
  waitSeconds: 60,
  requests: [{ requestType: 'RESERVE', resource: 'r', ttlSeconds: 60, requester }],
  ...fields,
});

describe('a derived token', () => {
  test('may not wait with a priority above 0', async () => {
    const call = withToken(await tokenFor('ann'));
    for (const [path, body, message] of [
      [RESERVE, [item({ priority: 0 }), item({ priority: 1 })], '[1].priority must be at most 0 with this token'],
      [TRANSACTION, set({ priority: 100 }), 'priority must be at most 0 with this token'],
    ] as const) {
      const { status, headers, body: told } = await call('POST', path, body);
      expect([status, told, headers.get('holdfast-error')]).toEqual([400, message, 'REFUSED']);
    }
    expect((await one.active('?resource=r')).body).toEqual([]);
  });

  test('may neither wait nor cancel for another requester', async () => {
    const call = withToken(await tokenFor('ann'));
    for (const [path, body] of [
      [RESERVE, [item({ requester: 'bob' })]],
      [TRANSACTION, set({}, 'bob')],
      [CANCEL, [{ resource: 'r', requester: 'bob' }]],
    ] as const)
      expect([path, (await call('POST', path, body)).status]).toEqual([path, 403]);
  });
});

/** Repeats with derived tokens (docs/specification.md#repeating-safely): the subject counts, not the token. */
describe('an Idempotency-Key counts for the subject', () => {
  const send = (at: typeof one, token: string, key: string, item: object) =>
    at.request('POST', '/api/v1/Reservation/reserve', [item], { 'X-Api-Key': token, 'Idempotency-Key': key });

  test('another token of the same subject repeats the request, with its requester filled in or written', async () => {
    const key = randomUUID();
    const [first, second] = [await tokenFor('ann'), await tokenFor('ann')];
    expect(second).not.toBe(first);
    const done = await send(one, first, key, { resource: 'r' });
    expect(done.body).toMatchObject([{ status: 'ACQUIRED', requester: 'ann' }]);
    for (const item of [{ resource: 'r' }, { requester: 'ann', resource: 'r' }]) {
      const again = await send(other, second, key, item);
      expect([again.body, again.headers.get('Idempotency-Replayed')]).toEqual([done.body, 'true']);
    }
  });

  test('a token of another subject does not, nor does a key', async () => {
    const key = randomUUID();
    const done = await send(one, await tokenFor('ann'), key, { resource: 's' });
    expect(done.status).toBe(200);
    for (const credential of [await tokenFor('bob'), one.key]) {
      const item = credential === one.key ? { resource: 's', requester: 'ann' } : { resource: 's' };
      expect((await send(other, credential, key, item)).body).toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
    }
  });

  test('no key or token is logged', async () => {
    const key = randomUUID();
    const { body } = await one.request<[{ releaseToken: string }]>(
      'POST',
      '/api/v1/Reservation/reserve',
      [{ resource: 'quiet', requester: 'ann' }],
      { 'Idempotency-Key': key },
    );
    const log = one.logged.join('\n');
    expect(log).not.toContain(body[0].releaseToken);
    expect(log).not.toContain(one.key);
  });
});
