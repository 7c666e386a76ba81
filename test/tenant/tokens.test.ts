/**
 * JWT exchange and what a derived token may do (docs/specification.md#identity): JWTs of a real OpenID Connect
 * provider, and two instances on one database.
 */
import { createServer, type ServerResponse } from 'node:http';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import type { ConfiguredKey } from '../../src/identity/configuredTenants.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { jwtIssuers } from '../../src/store/schema.ts';
import { setTier } from '../../src/store/tenants.ts';
import { startProvider, type TestProvider } from '../support/provider.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import {
  databaseEnv,
  KINDS,
  type OpenStore,
  openStore,
  type Session,
  signIn,
  storeTenant,
  type TestDatabase,
} from '../support/tenancy.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

interface Token {
  token: string;
  tokenType: string;
  expiresIn: number;
  expiresAt: string;
}

const audienceOf = (tenant: string) => `https://${tenant}.example/api`;
let made: TestDatabase;
let store: OpenStore;
let provider: TestProvider;
let starter: ConfiguredKey;
let free: ConfiguredKey;
let one: Instance;
let other: Instance;
let session: Session;
beforeAll(async () => {
  [made, provider] = await Promise.all([KINDS.Postgres(), startProvider()]);
  store = await openStore(made.url);
  defineScripts(store.redis, loadScripts(DEFAULT_TIERS));
  starter = await storeTenant(store, 'Starter');
  free = await storeTenant(store, 'Free');
  const start = () => startInstance({ keys: [starter], env: databaseEnv(made.url) });
  [one, other] = await Promise.all([start(), start()]);
  session = await signIn(store.redis, starter.tenant);
  expect((await trust(session, starter.tenant)).status).toBe(200);
});
afterAll(async () => {
  await Promise.all([one.stop(), other.stop(), provider.stop()]);
  await store.close();
  await made.drop();
});

const trust = (who: Session, tenant: string) => register(who, audienceOf(tenant));

/** Registers the provider with an audience. */
const register = (who: Session, audience: string) =>
  who.request(one.url, 'PUT', '/api/v1/Tenant/issuers', {
    issuer: provider.issuer,
    audience,
    jwksUrl: provider.jwksUrl,
  });

const exchange = (jwt: unknown, at = one, tenant: string | null = starter.tenant) =>
  at.request<Token & { error: string; upgradeRequired?: boolean }>(
    'POST',
    '/api/v1/auth/token',
    { jwt, ...(tenant === null ? {} : { tenant }) },
    { 'X-Api-Key': '' },
  );

const tokenFor = async (subject: string) => {
  const { body } = await exchange(await provider.token(subject, audienceOf(starter.tenant)));
  return body.token;
};

/** Calls with a token instead of the key. */
const withToken =
  (token: string, at = one) =>
  <Body = unknown>(method: string, path: string, body?: unknown) =>
    at.request<Body>(method, path, body, { 'X-Api-Key': token });

describe('POST /auth/token', () => {
  test('answers a token, its type and its end, 900 s from now at most and never after the JWT’s', async () => {
    const jwt = await provider.token('alice', audienceOf(starter.tenant)); // the provider gives them 600 s
    const { status, body } = await exchange(jwt);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['expiresAt', 'expiresIn', 'token', 'tokenType']);
    expect(body).toMatchObject({
      token: expect.stringMatching(new RegExp(`^hft_${starter.tenant}_`)),
      tokenType: 'Bearer',
    });
    expect(body.expiresIn).toBeGreaterThan(590);
    expect(body.expiresIn).toBeLessThanOrEqual(600);
    const { exp } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
    expect(Date.parse(body.expiresAt)).toBeLessThanOrEqual(exp * 1000);
  });

  test('each time another', async () => {
    const jwt = await provider.token('alice', audienceOf(starter.tenant));
    expect((await exchange(jwt)).body.token).not.toBe((await exchange(jwt)).body.token);
  });

  test('of a tenant in the tier Free: 403 with upgradeRequired', async () => {
    const key = await storeTenant(store, 'Starter');
    const jwt = await provider.token('alice', audienceOf(key.tenant));
    expect((await trust(await signIn(store.redis, key.tenant), key.tenant)).status).toBe(200);
    expect((await exchange(jwt, one, key.tenant)).status).toBe(200);
    await setTier(store, key.tenant, 'Free', 'admin:root');
    expect(await exchange(jwt, one, key.tenant)).toMatchObject({
      status: 403,
      body: { error: expect.any(String), upgradeRequired: true },
    });
  });

  test('of a tenant that only its audience names', async () => {
    const audience = `holdfast:${starter.tenant}`;
    const jwt = await provider.token('alice', audience);
    expect((await exchange(jwt, one, null)).status).toBe(401);
    await register(session, audience);
    const { status, body } = await exchange(jwt, other, null);
    expect([status, body.token]).toEqual([200, expect.stringMatching(new RegExp(`^hft_${starter.tenant}_`))]);
  });

  test('that names no tenant, for an audience that is nobody’s own: 401, saying what to do', async () => {
    const { status, body } = await exchange(await provider.token('alice', audienceOf(starter.tenant)), one, null);
    expect([status, body.error]).toEqual([401, expect.stringMatching(/send "tenant".*holdfast:<tenant id>/)]);
  });

  test('means nothing to another tenant, which can neither take it nor get in its way', async () => {
    const mallory = await storeTenant(store, 'Starter');
    const its = await signIn(store.redis, mallory.tenant);
    const audience = `holdfast:${starter.tenant}`;
    await register(session, audience);
    expect(await register(its, audience)).toMatchObject({
      status: 400,
      body: `audience must be holdfast:${mallory.tenant} if it starts with holdfast:`,
    });
    // The same issuer and audience, and another audience of the same JWT, are registered by both.
    expect((await trust(its, starter.tenant)).status).toBe(200);
    const jwt = await provider.token('alice', audienceOf(starter.tenant));
    expect((await exchange(jwt)).body.token).toContain(`hft_${starter.tenant}_`);
    expect((await exchange(await provider.token('alice', audience), one, null)).body.token).toContain(
      `hft_${starter.tenant}_`,
    );
  });

  test.each(['iss', 'aud'])('of a JWT with a NUL in its %s: 401, not a fault of the service', async (claim) => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: 'a', aud: `holdfast:${starter.tenant}`, [claim]: 'a\u0000b' };
    const jwt = `${encode({ alg: 'RS256', kid: 'k' })}.${encode(claims)}.AAAA`;
    for (const tenant of [null, starter.tenant]) expect((await exchange(jwt, one, tenant)).status).toBe(401);
  });

  test('of a bad JWT: 401, which counts as a failed authentication of the address', async () => {
    const strict = await startInstance({
      keys: [starter],
      env: { ...databaseEnv(made.url), MAX_FAILED_AUTHENTICATIONS: '3', TRUSTED_PROXIES: '1' },
    });
    const attempt = (address: string, jwt: string) =>
      strict.request(
        'POST',
        '/api/v1/auth/token',
        { jwt, tenant: starter.tenant },
        { 'X-Api-Key': '', 'X-Forwarded-For': address },
      );
    for (let turn = 0; turn < 3; turn++)
      expect(await attempt('192.0.2.7', 'bad')).toMatchObject({ status: 401, body: { error: expect.any(String) } });
    expect((await attempt('192.0.2.7', 'bad')).status).toBe(429);
    const jwt = await provider.token('alice', audienceOf(starter.tenant));
    expect((await attempt('192.0.2.7', jwt)).status).toBe(429);
    expect((await attempt('192.0.2.8', jwt)).status).toBe(200);
    await strict.stop();
  });

  test.each([[{}], [{ jwt: 5 }], [{ jwt: 'a.b.c', tenant: 'No tenant' }], [[]], ['text'], [null]])(
    'of %j: 400',
    async (body) => {
      const answer = await one.request('POST', '/api/v1/auth/token', JSON.stringify(body), { 'X-Api-Key': '' });
      expect([answer.status, typeof answer.body]).toEqual([400, 'string']);
    },
  );

  test('of an audience that no tenant has registered: 401, and so once its tenant has forgotten it', async () => {
    const audience = audienceOf('nobody');
    const jwt = await provider.token('alice', audience);
    expect((await exchange(jwt)).status).toBe(401);
    const issuer = { issuer: provider.issuer, audience };
    await session.request(one.url, 'PUT', '/api/v1/Tenant/issuers', { ...issuer, jwksUrl: provider.jwksUrl });
    expect((await exchange(jwt, other)).status).toBe(200);
    await session.request(one.url, 'DELETE', `/api/v1/Tenant/issuers?${new URLSearchParams(issuer)}`);
    expect((await exchange(jwt, other)).status).toBe(401);
  });

  test('never tells a JWT or a token to the log', async () => {
    const jwt = await provider.token('alice', audienceOf(starter.tenant));
    const { body } = await exchange(jwt);
    await exchange(`${jwt}x`);
    await withToken(body.token)('GET', '/api/v1/Resource/tree');
    for (const secret of [jwt, body.token]) expect(one.logged.join('')).not.toContain(secret);
  });
});

describe('a derived token acts for its subject', () => {
  const R = '/api/v1/Reservation';

  test('where an item names no requester, or that one, on every instance', async () => {
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

  test('cannot reset, register or delete, nor see or manage the tenant: 403', async () => {
    const call = withToken(await tokenFor('grace'));
    for (const [method, path, body] of [
      ['POST', `${R}/reset`, undefined],
      ['POST', '/api/v1/Resource/register', [{ name: 'g' }]],
      ['DELETE', '/api/v1/Resource/g', undefined],
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
    await store.redis.pexpire(added, 700);
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
    const query = new URLSearchParams({ issuer: provider.issuer, audience: removed });
    expect((await session.request(one.url, 'DELETE', `/api/v1/Tenant/issuers?${query}`)).status).toBe(200);
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
    const query = new URLSearchParams({ issuer: provider.issuer, audience });
    expect((await session.request(one.url, 'DELETE', `/api/v1/Tenant/issuers?${query}`)).status).toBe(404);
    expect(await see()).toBe(401);
  });

  test('before it is told to anybody, if its issuer is removed while it is made', async () => {
    const audience = audienceOf('overtaken');
    const published = await (await fetch(provider.jwksUrl)).text();
    const waiting: ServerResponse[] = [];
    const keys = createServer((_, response) => void waiting.push(response));
    await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
    const address = keys.address();
    const jwksUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    const issuer = { issuer: provider.issuer, audience };
    await session.request(one.url, 'PUT', '/api/v1/Tenant/issuers', { ...issuer, jwksUrl });
    const exchanged = exchange(await provider.token('peggy', audience));
    await until('the keys are asked for', () => waiting.length > 0);
    const query = new URLSearchParams(issuer);
    expect((await session.request(other.url, 'DELETE', `/api/v1/Tenant/issuers?${query}`)).status).toBe(200);
    for (const response of waiting) response.end(published);
    const { status, body } = await exchanged;
    expect([status, body.error]).toEqual([401, 'The issuer of the JWT has been removed.']);
    keys.close();
  });

  test('while its tenant is suspended: 403, and none are issued', async () => {
    const jwt = await provider.token('lea', audienceOf(starter.tenant));
    const { token } = (await exchange(jwt)).body;
    const admin = await startInstance({
      keys: [starter],
      env: { ...databaseEnv(made.url), ADMINS: 'root@id.example' },
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

describe('the keys of the issuer', () => {
  test('away: 503, without a word of where they are', async () => {
    const gone = await startProvider();
    const audience = audienceOf('gone');
    const jwt = await gone.token('alice', audience);
    await session.request(one.url, 'PUT', '/api/v1/Tenant/issuers', {
      issuer: gone.issuer,
      audience,
      jwksUrl: gone.jwksUrl,
    });
    await gone.stop();
    const { status, body } = await exchange(jwt);
    expect(status).toBe(503);
    expect(body.error).not.toContain('127.0.0.1');
  });

  test('of a provider that has others by now: its JWTs are accepted by who asks for them anew', async () => {
    const rotating = await startProvider();
    const audience = audienceOf('rotating');
    await session.request(one.url, 'PUT', '/api/v1/Tenant/issuers', {
      issuer: rotating.issuer,
      audience,
      jwksUrl: rotating.jwksUrl,
    });
    const old = await rotating.token('alice', audience);
    expect((await exchange(old)).status).toBe(200);
    await rotating.rotateKeys();
    const young = await rotating.token('alice', audience);
    expect((await exchange(young, other)).status).toBe(200);
    expect((await exchange(old, other)).status).toBe(401);
    await rotating.stop();
  });
});

describe('in the in-memory mode', () => {
  test('issuers come from JWT_ISSUERS', async () => {
    const tenant = makeTenant();
    const audience = audienceOf(tenant);
    const JWT_ISSUERS = JSON.stringify([{ tenant, issuer: provider.issuer, audience, jwksUrl: provider.jwksUrl }]);
    const instance = await startInstance({
      keys: [makeConfiguredKey(tenant)],
      env: { JWT_ISSUERS, JWKS_ALLOW_PRIVATE: 'true' },
    });
    const { status, body } = await exchange(await provider.token('mia', audience), instance, tenant);
    expect(status).toBe(200);
    const reserved = await withToken(body.token, instance)('POST', '/api/v1/Reservation/reserve', [{ resource: 'm' }]);
    expect(reserved.body).toMatchObject([{ requester: 'mia', status: 'ACQUIRED' }]);
    await instance.stop();
  });
});
