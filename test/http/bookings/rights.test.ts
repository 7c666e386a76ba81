/**
 * Who may book, move and cancel (docs/specification.md#booking): persons in their own two names, keys for any requester
 * within their prefix, derived tokens for their subject; with the right `force` for others.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MAX_BOOKINGS_OF_CALL } from '../../../src/domain/bookings.ts';
import { actForBookings } from '../../../src/http/call/actFor.ts';
import { bookingCalls } from '../../support/bookingCalls.ts';
import { makeCallers } from '../../support/callers.ts';
import type { Answer } from '../../support/client.ts';
import { type Instance, startInstance } from '../../support/service.ts';
import { databaseEnv, makeStore, type OwnStore, signIn, storeTenant } from '../../support/tenancy.ts';
import { until } from '../../support/until.ts';

let store: OwnStore;
let holdfast: Instance;
let callers: Awaited<ReturnType<typeof makeCallers>>;
beforeAll(async () => {
  store = await makeStore();
  const own = await storeTenant(store);
  holdfast = await startInstance({ keys: [own], env: databaseEnv(store.url) });
  callers = await makeCallers(store, own, holdfast);
  await holdfast.register({ name: 'pool', bookable: true, capacity: 500 }, { name: 'ci/phone', bookable: true });
});
afterAll(async () => {
  await holdfast.stop();
  await store.close();
});

/** The calls of a caller that may have no key. */
const as = (caller: string) =>
  bookingCalls({
    request: async <Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> => {
      const headers = { ...callers.get(caller), ...(body !== undefined && { 'Content-Type': 'application/json' }) };
      const sent = body === undefined ? null : JSON.stringify(body);
      const response = await fetch(holdfast.url + path, { method, headers, body: sent });
      return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
    },
  });
let hours = 24;
/** A booking of an hour that no other one is in the way of. */
const item = (requester?: string, resource = 'pool') => {
  const at = (hour: number) => `${new Date(Math.ceil(Date.now() / 1000 + 3600 * hour) * 1000).toISOString()}`;
  hours += 2;
  return { resource, start: at(hours), end: at(hours + 1), ...(requester && { requester }) };
};
async function book(requester: string, resource?: string): Promise<string> {
  const { body } = await as('full').book([item(requester, resource)]);
  return body.bookings[0]?.booking ?? JSON.stringify(body);
}

describe('a booking is made', () => {
  test.each([
    ['read', 'q', 403],
    ['reserve', 'anybody', 200],
    ['derived token', undefined, 200],
    ['derived token', 'q', 200],
    ['derived token', 'bo', 403],
    ['viewer', 'q', 403],
    ['member', 'q', 200],
    ['member', 'person:q', 200],
    ['member', 'bo', 403],
    ['operator', 'bo', 200],
  ])('by %s for %s: %d', async (caller, requester, expected) => {
    for (const query of ['?dryRun=true', ''])
      expect((await as(caller).book([item(requester)], {}, query)).status).toBe(expected);
  });

  test('by a derived token for nobody else, in the last of as many as a request may have', () => {
    const bookings = [...Array.from({ length: MAX_BOOKINGS_OF_CALL - 1 }, () => ({})), { requester: 'bo' }];
    expect(() => actForBookings('q', { bookings })).toThrow(/acts only for its subject/);
  });

  test('by a key with a prefix only of resources that start with it', async () => {
    const key = as('full with a prefix');
    expect((await key.book([item('bo', 'ci/phone')])).status).toBe(200);
    const { status, body } = await key.book([item('bo', 'ci/phone'), item('bo')]);
    expect([status, body]).toMatchObject([403, { error: expect.stringContaining('bookings[1].resource must start') }]);
  });
});

describe('a booking is moved and cancelled', () => {
  test.each([
    ['read', 'q', 403],
    ['reserve', 'anybody', 200],
    ['derived token', 'q', 200],
    ['derived token', 'bo', 403],
    ['viewer', 'q', 403],
    ['member', 'q', 200],
    ['member', 'bo', 403],
    ['operator', 'bo', 200],
    ['full with a prefix', 'bo', 403],
  ])('by %s that of %s: %d', async (caller, requester, expected) => {
    const booking = await book(requester);
    expect((await as(caller).change(booking, { note: 'later' })).status).toBe(expected);
    expect((await as(caller).cancel(booking)).status).toBe(expected);
    expect((await as('full').cancel(booking)).body).toEqual({ cancelled: expected === 200 ? 0 : 1 });
  });

  test('with a prefix within it', async () => {
    const booking = await book('bo', 'ci/phone');
    expect((await as('full with a prefix').cancel(booking)).body).toEqual({ cancelled: 1 });
  });
});

describe('all bookings of a resource are cancelled', () => {
  test('by those who have the right force', async () => {
    await book('bo', 'ci/phone');
    for (const caller of ['full', 'reserve', 'derived token', 'member', 'viewer'])
      expect((await as(caller).cancel('?resource=ci/phone')).status).toBe(403);
    const { status, body } = await as('operator').cancel('?resource=ci/phone');
    expect([status, body.cancelled]).toEqual([200, expect.any(Number)]);
    expect((await as('full').list('?resource=ci/phone')).body).toEqual([]);
    expect((await as('operator').cancel('?resource=ci/phone')).body).toEqual({ cancelled: 0 });
  });
});

describe('the audit trail', () => {
  const Entries = z.object({
    entries: z.array(z.looseObject({ action: z.string(), actor: z.string(), details: z.unknown() })),
  });

  test('has who cancelled a booking of somebody else, and no cancel of an own one', async () => {
    const [others, own] = [await book('carl'), await book('q')];
    await as('member').cancel(own);
    await as('operator').cancel(others);
    const owner = await signIn(store.redis, holdfast.tenant);
    const found = () =>
      until('the entry', async () => {
        const { body } = await owner.request(holdfast.url, 'GET', '/api/v1/Tenant/audit?limit=100');
        const entries = Entries.parse(body).entries.filter(({ action }) => action === 'booking.cancel');
        return entries.some(({ details }) => JSON.stringify(details).includes('carl')) && entries;
      });
    const entries = await found();
    expect(entries).toContainEqual(expect.objectContaining({ details: { resource: 'pool', requester: 'carl' } }));
    expect(JSON.stringify(entries)).not.toContain('"requester":"q"');
  });
});
