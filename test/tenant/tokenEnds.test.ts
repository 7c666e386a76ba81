/**
 * The end of derived tokens: with a change of their registration, and by their holder
 * (docs/specification.md#jwt-exchange).
 */
import { describe, expect, test } from 'vitest';
import { jwks, sign, useJwks } from '../support/jwt.ts';
import { exchange, freshAudience, freshId, jwtOf, RESERVE, register } from '../support/registrations.ts';
import { one, other, session, starter, store, useTokens, withToken } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

useTokens();
useJwks();

describe('a token ends', () => {
  const see = async (token: string, at = other) => (await withToken(token, at)('GET', '/api/v1/Resource/tree')).status;

  test.each([
    ['conditions', { conditions: { team: 'b' } }],
    ['permission', { permission: 'read' }],
    ['nothing', {}],
  ])('when its registration is put with other %s, on every instance and with its stream', async (_, change) => {
    const audience = freshAudience();
    const [changed, kept] = [freshId(), freshId()];
    const common = { conditions: { team: ['a', 'b'] } };
    await register(audience, { id: changed, ...common });
    await register(audience, { id: kept, ...common });
    const issue = async (issuer: string) =>
      (await exchange(await jwtOf(audience, { team: 'a' }), { issuer })).body.token;
    const ended = await Promise.all(Array.from({ length: 5 }, () => issue(changed)));
    const alive = await issue(kept);
    const subscriber = await watch({ url: other.url, key: ended[0] ?? '' });
    expect(await Promise.all(ended.map((token) => see(token)))).toEqual(ended.map(() => 200));
    await register(audience, { id: changed, ...common, ...change });
    expect(await Promise.all(ended.map((token) => see(token)))).toEqual(ended.map(() => 401));
    expect(await see(alive)).toBe(200);
    await until('the end of the stream', () => subscriber.ended === 'in good order');
  });

  test('when its registration is deleted, on every instance', async () => {
    const audience = freshAudience();
    const id = freshId();
    await register(audience, { id });
    const { token } = (await exchange(await jwtOf(audience))).body;
    expect(await see(token)).toBe(200);
    expect((await session.request(one.url, 'DELETE', `/api/v1/Tenant/issuers?id=${id}`)).status).toBe(200);
    expect(await see(token)).toBe(401);
    expect((await exchange(await jwtOf(audience))).status).toBe(401);
  });

  test('after 900 s, if its JWT lives for longer', async () => {
    const audience = freshAudience();
    await register(audience, { id: freshId(), issuer: 'https://id.example', jwksUrl: jwks.url });
    const exp = Math.floor(Date.now() / 1000) + 86_400;
    const { status, body } = await exchange(await sign({ aud: audience, exp }));
    expect([status, body.expiresIn]).toEqual([200, 900]);
    const [lifetime] = await Promise.all(
      (await store.redis.keys(`{${starter.tenant}}:token:*`)).map((key) => store.redis.pttl(key)),
    ).then((all) => all.sort((a, b) => b - a));
    expect(lifetime).toBeLessThanOrEqual(900_000);
  });

  test('before anybody gets it, if its registration changes while it is made', async () => {
    const audience = freshAudience();
    const id = freshId();
    await register(audience, { id, issuer: 'https://id.example', jwksUrl: jwks.url });
    const jwt = await sign({ aud: audience });
    const answer = jwks.answer;
    const waiting: Parameters<typeof answer>[0][] = [];
    jwks.answer = (response) => void waiting.push(response);
    await register(audience, { id, issuer: 'https://id.example', jwksUrl: `${jwks.url}?slow` });
    const tokens = () => store.redis.keys(`{${starter.tenant}}:token:*`);
    const before = await tokens();
    const exchanged = exchange(jwt, {}, other);
    await until('the keys are requested', () => waiting.length > 0);
    await register(audience, { id, issuer: 'https://id.example', jwksUrl: jwks.url, conditions: { sub: 'bob' } });
    for (const response of waiting) answer(response);
    jwks.answer = answer;
    expect(await exchanged).toMatchObject({
      status: 401,
      body: { error: expect.stringContaining('changed or removed') },
    });
    expect((await tokens()).filter((key) => !before.includes(key))).toEqual([]);
  });

  test('by DELETE /auth/token, with its stream, for nothing; its reservations stay', async () => {
    const audience = freshAudience();
    await register(audience, {});
    const jwt = await jwtOf(audience);
    const [mine, another] = [(await exchange(jwt)).body.token, (await exchange(jwt)).body.token];
    const resource = freshId();
    await withToken(mine)('POST', RESERVE, [{ resource, ttlSeconds: 600 }]);
    const subscriber = await watch({ url: other.url, key: mine });
    const { status, body, headers } = await withToken(mine)('DELETE', '/api/v1/auth/token');
    expect([status, body, headers.get('ratelimit')]).toEqual([204, undefined, null]);
    expect([await see(mine), await see(another)]).toEqual([401, 200]);
    await until('the end of the stream', () => subscriber.ended === 'in good order');
    expect((await one.active(`?resource=${resource}`)).body).toMatchObject([{ requester: 'ci' }]);
    expect((await withToken(mine)('DELETE', '/api/v1/auth/token')).status).toBe(401);
  });

  test('by DELETE /auth/token, which takes nothing else: 403 for a key, 401 for nobody', async () => {
    const end = (headers: Record<string, string>) => one.request('DELETE', '/api/v1/auth/token', undefined, headers);
    expect((await end({})).status).toBe(403);
    expect((await end({ 'X-Api-Key': '' })).status).toBe(401);
    expect((await end({ 'X-Api-Key': `hft_${starter.tenant}_YW5u.${'a'.repeat(40)}` })).status).toBe(401);
    expect((await session.request(one.url, 'DELETE', '/api/v1/auth/token')).status).toBe(403);
  });
});
