/**
 * A tenant as its users see and change it (docs/specification.md#operations).
 */
import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { DEFAULT_SETTINGS } from '../../src/domain/tenants.ts';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { asAdmin, holdfast, other, own, store, trail, useAdministration, user } from '../support/administration.ts';
import { signIn, storeTenant } from '../support/tenancy.ts';
import { watch } from '../support/watch.ts';

useAdministration();

describe('GET /api/v1/Tenant', () => {
  test('returns tier, limits and usage, with a key and with a session', async () => {
    await holdfast.reserve({ resource: 'a', requester: 'r' }, { resource: 'b', requester: 'r' });
    const subscriber = await watch(holdfast);
    const expected = {
      id: own.tenant,
      name: `Tenant ${own.tenant}`,
      tier: 'Starter',
      limits: DEFAULT_TIERS.Starter,
      usage: {
        writesThisMinute: 2,
        writesToday: 2,
        reservations: 2,
        eventConnections: 1,
        apiKeys: 1,
        definitions: 0,
        bookings: 0,
      },
    };
    expect(await holdfast.request('GET', '/api/v1/Tenant')).toMatchObject({ status: 200, body: expected });
    expect(await user.request(holdfast.url, 'GET', '/api/v1/Tenant')).toMatchObject({ status: 200, body: expected });
    subscriber.close();
  });
});

describe('settings', () => {
  const SETTINGS = '/api/v1/Tenant/settings';
  const status = async () => (await other.reserve({ resource: 'nowhere', requester: 's' })).body[0]?.status;

  test('required registration holds on every instance from the moment it is answered', async () => {
    expect((await user.request(holdfast.url, 'GET', SETTINGS)).body).toEqual(DEFAULT_SETTINGS);
    await user.request(holdfast.url, 'PUT', SETTINGS, { requireRegistration: true });
    expect(await status()).toBe('NOT_VALID');
    await user.request(holdfast.url, 'PUT', SETTINGS, { requireRegistration: false });
    expect(await status()).toBe('ACQUIRED');
  });

  test('the highest priority of waits holds on every instance from the moment it is answered', async () => {
    const wait = (priority: number) =>
      other.request('POST', '/api/v1/Reservation/reserve', [
        { resource: 'busy', requester: 's', ttlSeconds: 60, waitSeconds: 60 },
        { resource: 'busy', requester: 't', ttlSeconds: 60, waitSeconds: 60, priority },
      ]);
    const settings = { ...DEFAULT_SETTINGS, maxPriority: 10 };
    expect((await user.request(holdfast.url, 'PUT', SETTINGS, settings)).body).toEqual(settings);
    const message = '[1].priority must be at most 10 by the setting maxPriority of the tenant';
    expect(await wait(11)).toMatchObject({ status: 400, body: message });
    // Also if Redis has lost the tenant.
    await holdfast.redis.del(`{${other.tenant}}:tenant`);
    expect(await wait(11)).toMatchObject({ status: 400, body: message });
    // A change that leaves it out keeps it.
    const change = { requireRegistration: false };
    expect((await user.request(holdfast.url, 'PUT', SETTINGS, change)).body).toEqual(settings);
    expect((await user.request(holdfast.url, 'GET', SETTINGS)).body).toEqual(settings);
    expect(await wait(11)).toMatchObject({ status: 400, body: message });
  });

  const put = (change: object) => user.request(holdfast.url, 'PUT', SETTINGS, change);
  const reserve = async (fields: object) =>
    (await other.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve', [{ requester: 's', ...fields }]))
      .body[0];

  test('for leases and notes hold on every instance from the moment they are answered', async () => {
    const settings = { ...DEFAULT_SETTINGS, defaultTtlSeconds: 60, maxTtlSeconds: 3600, requireNote: true };
    expect((await put(settings)).body).toEqual(settings);
    expect(await reserve({ resource: 'lease', ttlSeconds: 3601, note: 'n' })).toMatchObject({
      status: 'NOT_VALID',
      explanation: "NOT_VALID: this tenant's reservations need a lease of at most 3600 s",
    });
    expect(await reserve({ resource: 'note' })).toMatchObject({ explanation: 'NOT_VALID: a note is required' });
    // Also if Redis has lost the tenant.
    await holdfast.redis.del(`{${other.tenant}}:tenant`);
    expect(await reserve({ resource: 'note' })).toMatchObject({ explanation: 'NOT_VALID: a note is required' });
    expect(await reserve({ resource: 'lost', note: 'n' })).toMatchObject({ expiresAt: expect.any(String) });
  });

  test('that a change leaves out stay as they are, and null clears them', async () => {
    const settings = { ...DEFAULT_SETTINGS, defaultTtlSeconds: 60, maxTtlSeconds: 3600, requireNote: true };
    await put(settings);
    expect((await put({})).body).toEqual(settings);
    expect((await put({ requireNote: false })).body).toEqual({ ...settings, requireNote: false });
    expect((await put({ maxTtlSeconds: null })).body).toMatchObject({ defaultTtlSeconds: 60, maxTtlSeconds: null });
    expect((await put({ defaultTtlSeconds: null })).body).toEqual(DEFAULT_SETTINGS);
    expect(await reserve({ resource: 'endless' })).toMatchObject({ status: 'ACQUIRED', expiresAt: null });
    const [, { details } = {}] = await trail(own.tenant);
    expect(details).toEqual({ maxTtlSeconds: { from: 3600, to: null } });
  });

  test('are part of the tenant that administrators see', async () => {
    await put({ ...DEFAULT_SETTINGS, maxTtlSeconds: 3600 });
    expect((await asAdmin('GET', `/${own.tenant}`)).body).toMatchObject({
      defaultTtlSeconds: null,
      maxTtlSeconds: 3600,
    });
    await put(DEFAULT_SETTINGS);
  });

  test('with a default lease above the longest one: 400, and nothing changes', async () => {
    const fault = (max: number) => [400, `defaultTtlSeconds must be at most maxTtlSeconds, which is ${max}`];
    const tried = async (change: object) => {
      const { status, body } = await put(change);
      return [status, body];
    };
    expect(await tried({ defaultTtlSeconds: 61, maxTtlSeconds: 60 })).toEqual(fault(60));
    await put({ defaultTtlSeconds: 60, maxTtlSeconds: 60 });
    expect(await tried({ maxTtlSeconds: 59 })).toEqual(fault(59));
    expect(await tried({ defaultTtlSeconds: 61 })).toEqual(fault(60));
    const settings = { ...DEFAULT_SETTINGS, defaultTtlSeconds: 60, maxTtlSeconds: 60 };
    expect((await user.request(holdfast.url, 'GET', SETTINGS)).body).toEqual(settings);
    await put(DEFAULT_SETTINGS);
  });

  test.each(['defaultTtlSeconds', 'maxTtlSeconds'])('%s of a wrong form: 400', async (field) => {
    for (const value of [0, 31_536_001, 1.5, '60', false])
      expect((await put({ [field]: value })).body).toBe(`${field} must be null or an integer from 1 to 31536000`);
  });

  test.each([101, -1, 1.5, '10', null])('maxPriority %j: 400', async (maxPriority) => {
    expect((await user.request(holdfast.url, 'PUT', SETTINGS, { requireRegistration: false, maxPriority })).body).toBe(
      'maxPriority must be an integer from 0 to 100',
    );
  });

  test('of bookings are kept, and have bounds', async () => {
    const fields = { maxBookingSeconds: 3600, bookingsPerRequester: 0 };
    expect((await put(fields)).body).toMatchObject(fields);
    expect((await put({ maxBookingSeconds: 59 })).body).toBe('maxBookingSeconds must be an integer from 60 to 2678400');
    expect((await put({ bookingsPerRequester: -1 })).body).toBe(
      'bookingsPerRequester must be an integer from 0 to 100000',
    );
    expect((await user.request(holdfast.url, 'GET', SETTINGS)).body).toMatchObject(fields);
  });

  test('of a wrong form: 400', async () => {
    expect((await user.request(holdfast.url, 'PUT', SETTINGS, { requireRegistration: 'yes' })).body).toBe(
      'requireRegistration must be true or false',
    );
  });
});

describe('issuers', () => {
  const ISSUERS = '/api/v1/Tenant/issuers';
  const given = {
    id: 'app',
    issuer: 'https://idp.example',
    audience: 'app',
    jwksUrl: 'https://idp.example/jwks',
    conditions: {},
  };
  const issuer = {
    ...given,
    permission: 'reserve',
    prefix: '',
    maxPriority: 0,
    requester: '{sub}',
    instances: false,
  };
  const at = (id: string) => `${ISSUERS}?id=${id}`;

  test('are registered, listed, replaced, and forgotten', async () => {
    expect(await user.request(holdfast.url, 'PUT', ISSUERS, given)).toMatchObject({ status: 200, body: issuer });
    const moved = {
      ...issuer,
      jwksUrl: 'https://idp.example/keys',
      conditions: { team: ['a', 'b/*'], sub: 'x' },
      permission: 'read',
      prefix: 'ci/',
      maxPriority: 7,
      requester: 'ci/{sub}',
      instances: true,
    };
    await user.request(holdfast.url, 'PUT', ISSUERS, moved);
    expect((await user.request(holdfast.url, 'GET', ISSUERS)).body).toEqual([moved]);
    expect((await user.request(holdfast.url, 'DELETE', at('app'))).status).toBe(200);
    expect((await user.request(holdfast.url, 'DELETE', at('app'))).status).toBe(404);
    expect((await user.request(holdfast.url, 'GET', ISSUERS)).body).toEqual([]);
  });

  test('of one tenant are nothing to another, which may register the same', async () => {
    const stranger = await signIn(store.redis, (await storeTenant(store)).tenant);
    for (const who of [user, stranger])
      expect((await who.request(holdfast.url, 'PUT', ISSUERS, issuer)).status).toBe(200);
    expect((await stranger.request(holdfast.url, 'DELETE', at('app'))).status).toBe(200);
    expect((await user.request(holdfast.url, 'GET', ISSUERS)).body).toEqual([issuer]);
  });

  test('with the audience holdfast:<tenant id> are registered by that tenant alone', async () => {
    const put = async (audience: string) =>
      (await user.request(holdfast.url, 'PUT', ISSUERS, { ...issuer, audience })).status;
    expect(await put(`holdfast:${own.tenant}`)).toBe(200);
    for (const audience of ['holdfast:another', 'holdfast:', `holdfast:${own.tenant}x`])
      expect([audience, await put(audience)]).toEqual([audience, 400]);
  });

  test('need tier Starter or above', async () => {
    const free = await signIn(store.redis, (await storeTenant(store, 'Free')).tenant);
    expect(await free.request(holdfast.url, 'PUT', ISSUERS, issuer)).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('Starter'), upgradeRequired: true },
    });
  });

  test('with names that are too long for the database’s index, in bytes: 400', async () => {
    for (const field of ['issuer', 'audience'] as const)
      for (const text of ['x'.repeat(513), '𝔸'.repeat(129)])
        expect((await user.request(holdfast.url, 'PUT', ISSUERS, { ...issuer, [field]: text })).status).toBe(400);
    const longest = { ...issuer, issuer: '𝔸'.repeat(128), audience: '𝔹'.repeat(128) };
    expect((await user.request(holdfast.url, 'PUT', ISSUERS, longest)).status).toBe(200);
  });
});

describe('a session', () => {
  test('releases any reservation of its tenant without a token', async () => {
    await holdfast.reserve({ resource: 'stuck', requester: 'gone' });
    const item = [{ resource: 'stuck', requester: 'gone' }];
    expect((await holdfast.request('POST', '/api/v1/Reservation/unreserve', item)).status).toBe(403);
    const { status, body } = await user.request(holdfast.url, 'POST', '/api/v1/Reservation/unreserve', item);
    expect([status, body]).toMatchObject([200, [{ status: 'RELINQUISHED', released: ['stuck'] }]]);
  });

  test('watches events without counting as a connection', async () => {
    const key = await storeTenant(store, 'Free');
    const its = await signIn(store.redis, key.tenant);
    const counted = await watch({ url: holdfast.url, key: key.key });
    const controller = new AbortController();
    const headers = { Cookie: its.cookie };
    const watching = await fetch(`${other.url}/api/v1/events`, { headers, signal: controller.signal });
    expect(watching.status).toBe(200);
    expect((await watch({ url: holdfast.url, key: key.key })).head).toMatch(/429/);
    await holdfast.request('POST', '/api/v1/Reservation/reset', undefined, { 'X-Api-Key': key.key });
    const reader = watching.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('event: RESET')) text += (await reader?.read())?.value ?? '';
    controller.abort();
    counted.close();
  });
});
