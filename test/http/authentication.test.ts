import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { RIGHTS } from '../../src/domain/rights.ts';
import { giveSignInsRole } from '../../src/engine/tenant/signIns.ts';
import { digestOf, makeKey } from '../../src/identity/credentials.ts';
import { ask } from '../support/ask.ts';
import { holdfast, useInstance } from '../support/instance.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { OWNER, signIn } from '../support/tenancy.ts';

useInstance();

const item = { resource: 'r', requester: 'q' };
const BOOKING = randomUUID();

const ROUTES: [string, string, unknown][] = [
  ['POST', '/api/v1/Reservation/reserve', [item]],
  ['POST', '/api/v1/Reservation/unreserve', [item]],
  ['POST', '/api/v1/Reservation/check', [item]],
  ['GET', '/api/v1/Reservation/activeReservations', undefined],
  ['POST', '/api/v1/Reservation/renew', [{ ...item, ttlSeconds: 1 }]],
  ['POST', '/api/v1/Reservation/transaction', { method: 'FIRST', requests: [{ requestType: 'RESERVE', ...item }] }],
  ['POST', '/api/v1/Reservation/cancel', [item]],
  ['GET', '/api/v1/Reservation/waiting', undefined],
  ['POST', '/api/v1/Reservation/reset', undefined],
  ['GET', '/api/v1/Reservation/history', undefined],
  ['POST', '/api/v1/Session', { requester: 'q', ttlSeconds: 60 }],
  ['POST', '/api/v1/Session/renew', { session: randomUUID(), token: randomUUID() }],
  ['POST', '/api/v1/Session/end', { session: randomUUID(), token: randomUUID() }],
  [
    'POST',
    '/api/v1/Booking',
    { bookings: [{ resource: 'r', requester: 'q', start: '2026-11-24T09:00:00Z', end: '2026-11-24T10:00:00Z' }] },
  ],
  ['GET', '/api/v1/Booking', undefined],
  ['DELETE', '/api/v1/Booking?resource=r', undefined],
  ['PATCH', `/api/v1/Booking/${BOOKING}`, { note: 'n' }],
  ['DELETE', `/api/v1/Booking/${BOOKING}`, undefined],
  ['DELETE', `/api/v1/Booking/series/${BOOKING}`, undefined],
  ['POST', '/api/v1/Resource/register', [{ name: 'r' }]],
  ['PUT', '/api/v1/Resource/condition', [{ resource: 'r', condition: 'dirty' }]],
  ['GET', '/api/v1/Resource/definitions', undefined],
  ['GET', '/api/v1/Resource/tree', undefined],
  ['GET', '/api/v1/Resource/available/r', undefined],
  ['GET', '/api/v1/Resource/usage?resource=r', undefined],
  ['DELETE', '/api/v1/Resource/r', undefined],
  ['GET', '/api/v1/events', undefined],
  ['POST', '/api/v1/Reservation/reserve', 'not JSON'],
  ['POST', '/api/v1/Reservation/reserve', []],
  ['DELETE', '/api/v1/Reservation/reserve', undefined],
  ['GET', '/api/v1/Nothing', undefined],
];

describe.each(ROUTES)('%s %s with body %j: 401', (method, path, body) => {
  const refused = async (headers: Record<string, string>) => {
    const answer = await holdfast.request(method, path, body, headers);
    expect(answer).toMatchObject({ status: 401, body: { error: expect.any(String), code: 'UNAUTHENTICATED' } });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  };

  test('without a key', () => refused({ 'X-Api-Key': '' }));
  test('with what is no key', () => refused({ 'X-Api-Key': 'nonsense' }));
  test('with another key of the tenant', () => refused({ 'X-Api-Key': makeKey(holdfast.tenant) }));
  test('with a key of a tenant that does not exist', () => refused({ 'X-Api-Key': makeKey(makeTenant()) }));
});

describe('a sign-in session without rights admits nobody', () => {
  test.each([
    ['without any', JSON.stringify(OWNER)],
    ['with rights in another place', JSON.stringify({ ...OWNER, rights: RIGHTS.join(' ') })],
    ['with nothing but a brace', '{'],
    ['that is empty', ''],
  ])('%s', async (_, value) => {
    const held = (await holdfast.reserve({ resource: randomUUID(), requester: 'holder' })).body[0];
    const { cookie, request } = await signIn(holdfast.redis, holdfast.tenant);
    const key = `{${holdfast.tenant}}:session:${digestOf(cookie.replace('holdfast_session=', ''))}`;
    expect(await holdfast.redis.set(key, value, 'KEEPTTL', 'XX')).toBe('OK');
    const release = [{ resource: held?.resource, requester: 'holder' }];
    const asked = [
      await request(holdfast.url, 'POST', '/api/v1/Reservation/unreserve', release),
      await request(holdfast.url, 'POST', '/api/v1/Reservation/reset'),
      await request(holdfast.url, 'GET', '/api/v1/Reservation/activeReservations'),
      await request(holdfast.url, 'GET', '/api/v1/Resource/definitions'),
    ];
    expect(asked.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    const page = await ask(`${holdfast.url}/dashboard/reservations`, { headers: { Cookie: cookie } });
    expect([page.status, page.to]).toEqual([303, '/dashboard/sign-in?to=%2Fdashboard%2Freservations']);
  });

  test('and one that cannot be read ends when its person gets another role', async () => {
    const { cookie } = await signIn(holdfast.redis, holdfast.tenant);
    const key = `{${holdfast.tenant}}:session:${digestOf(cookie.replace('holdfast_session=', ''))}`;
    await holdfast.redis.set(key, `{"rights":"${RIGHTS.join(' ')}"}`, 'KEEPTTL', 'XX');
    await giveSignInsRole(holdfast, holdfast.tenant, OWNER.id, 'viewer');
    expect(await holdfast.redis.exists(key)).toBe(0);
  });
});

describe('Authorization: Bearer', () => {
  const available = (headers: Record<string, string>) =>
    holdfast.request('GET', '/api/v1/Resource/available/r', undefined, headers);

  test.each([
    ['alone', (key: string) => ({ 'X-Api-Key': '', Authorization: `Bearer ${key}` })],
    ['whatever its case', (key: string) => ({ 'X-Api-Key': '', Authorization: `bearer ${key}` })],
    ['beside the same X-Api-Key', (key: string) => ({ 'X-Api-Key': key, Authorization: `Bearer ${key}` })],
    ['of another scheme is nobody’s concern', (key: string) => ({ 'X-Api-Key': key, Authorization: 'Basic eDp5' })],
  ])('%s: 200', async (_, headers) => {
    expect((await available(headers(holdfast.key))).status).toBe(200);
  });

  test.each([
    [
      'with another key of the tenant',
      () => ({ 'X-Api-Key': '', Authorization: `Bearer ${makeKey(holdfast.tenant)}` }),
    ],
    ['with what is no key', () => ({ 'X-Api-Key': '', Authorization: 'Bearer nonsense' })],
    ['beside another X-Api-Key', () => ({ Authorization: `Bearer ${makeKey(holdfast.tenant)}` })],
    ['of another scheme', () => ({ 'X-Api-Key': '', Authorization: 'Basic eDp5' })],
  ])('%s: 401', async (_, headers) => {
    expect(await available(headers())).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
  });
});

describe('the interface tells of every operation that it needs a key', () => {
  test('and all of them are tried above', async () => {
    const { body } = await holdfast.request<{ paths: Record<string, object> }>('GET', '/openapi.json');
    const declared = Object.keys(body.paths).filter((path) => path.startsWith('/api/'));
    const tried = ROUTES.map(([, path]) =>
      path
        .replace('/available/r', '/available/{resource}')
        .replace(/\?.*$/, '')
        .replace(/Resource\/r$/, 'Resource/{name}')
        .replace(BOOKING, '{id}'),
    );
    expect(declared.filter((path) => !tried.includes(path))).toEqual([]);
  });
});

describe('configured tenants', () => {
  test('a key that the configuration no longer has is refused', async () => {
    const tenant = makeTenant();
    const [old, young] = [makeConfiguredKey(tenant), makeConfiguredKey(tenant)];
    const before = await startInstance({ keys: [old, young] });
    expect((await before.available('r')).status).toBe(200);
    await before.stop();
    const after = await startInstance({ keys: [young] });
    expect((await after.available('r')).status).toBe(200);
    const answer = await after.request('GET', '/api/v1/Resource/available/r', undefined, { 'X-Api-Key': old.key });
    expect(answer.status).toBe(401);
    await after.stop();
  });

  test('a tenant that the configuration no longer has is refused, whatever Redis holds of it', async () => {
    const gone = makeConfiguredKey(makeTenant());
    const before = await startInstance({ keys: [gone] });
    expect((await before.available('r')).status).toBe(200);
    await before.stop();
    const answer = await holdfast.request('GET', '/api/v1/Resource/available/r', undefined, { 'X-Api-Key': gone.key });
    expect(answer.status).toBe(401);
  });

  test('are put back where Redis has lost them', async () => {
    const { redis, tenant } = holdfast;
    await redis.del(`{${tenant}}:tenant`, `{${tenant}}:keys`);
    expect((await holdfast.available('r')).status).toBe(200);
  });
});
