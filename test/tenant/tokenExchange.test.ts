/**
 * The exchange of a JWT for a token: what it answers, and which JWTs it refuses (docs/specification.md#identity).
 */
import { describe, expect, test } from 'vitest';
import { setTier } from '../../src/store/tenants.ts';
import { startProvider } from '../support/provider.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { databaseEnv, signIn, storeTenant } from '../support/tenancy.ts';
import {
  audienceOf,
  exchange,
  one,
  other,
  provider,
  register,
  session,
  starter,
  store,
  trust,
  unregister,
  useTokens,
  withToken,
} from '../support/tokens.ts';

useTokens();

describe('POST /auth/token', () => {
  test('answers a token, its type and its end, 900 s from now at most and never after the JWT’s', async () => {
    const jwt = await provider.token('alice', audienceOf(starter.tenant)); // the provider gives them 600 s
    const { status, body } = await exchange(jwt);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['expiresAt', 'expiresIn', 'issuer', 'requester', 'token', 'tokenType']);
    expect(body).toMatchObject({
      token: expect.stringMatching(new RegExp(`^hft_${starter.tenant}_`)),
      tokenType: 'Bearer',
      requester: 'alice',
      issuer: expect.stringContaining(starter.tenant),
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
    await setTier(store, key.tenant, 'Free', { actor: 'admin:root', address: null });
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
      env: { ...databaseEnv(store.url), MAX_FAILED_AUTHENTICATIONS: '3', TRUSTED_PROXIES: '1' },
    });
    const attempt = (address: string, jwt: string) =>
      strict.request(
        'POST',
        '/api/v1/auth/token',
        { jwt, tenant: starter.tenant },
        { 'X-Api-Key': '', 'X-Forwarded-For': address },
      );
    for (let round = 0; round < 3; round++)
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
    await register(session, audience);
    expect((await exchange(jwt, other)).status).toBe(200);
    await unregister(session, audience);
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

describe('the keys of the issuer', () => {
  test('away: 503, without a word of where they are', async () => {
    const gone = await startProvider();
    const audience = audienceOf('gone');
    const jwt = await gone.token('alice', audience);
    await register(session, audience, { issuer: gone.issuer, jwksUrl: gone.jwksUrl });
    await gone.stop();
    const { status, body } = await exchange(jwt);
    expect(status).toBe(503);
    expect(body.error).not.toContain('127.0.0.1');
  });

  test('of a provider that has others by now: its JWTs are accepted by who asks for them anew', async () => {
    const rotating = await startProvider();
    const audience = audienceOf('rotating');
    await register(session, audience, { issuer: rotating.issuer, jwksUrl: rotating.jwksUrl });
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
    const JWT_ISSUERS = JSON.stringify([
      { tenant, id: 'own', issuer: provider.issuer, audience, jwksUrl: provider.jwksUrl, conditions: {} },
    ]);
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
