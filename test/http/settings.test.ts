/**
 * Settings of a tenant restrict its reservations (docs/specification.md#settings). How settings are changed is
 * tested in test/tenant/settings.test.ts.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReserveResult, TransactionResult } from '../../src/contract/reservations.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/domain/tenants.ts';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { loadTenant } from '../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { STEERED_CLOCK, setClock } from '../support/clock.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { begin, sessions } from '../support/sessions.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

// Ahead of the real clock, by which other tests' instances end leases.
const NOW = Date.UTC(2050, 0, 1);
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();
const API = '/api/v1/Reservation';
const TOO_LONG = "NOT_VALID: this tenant's reservations need a lease of at most 3600 s";
const NO_NOTE = 'NOT_VALID: a note is required';

const key = makeConfiguredKey(makeTenant());
let holdfast: Instance;
beforeAll(async () => {
  holdfast = await startInstance({ keys: [key], includes: { 'frame/now': STEERED_CLOCK } });
  defineScripts(holdfast.redis, loadScripts(DEFAULT_TIERS));
});
afterAll(() => holdfast.stop());

let round = 0;
let resource = '';
beforeEach(async () => {
  await set({});
  await setClock(holdfast.redis, holdfast.tenant, NOW);
  await holdfast.reset();
  resource = `r${round++}`;
});

/** Changes the settings as a PUT does: the others get their defaults. */
async function set(settings: Partial<Settings>): Promise<void> {
  const record = configuredTenants([key]).get(key.tenant);
  if (record === undefined) throw new Error('the tenant is not configured');
  const changed = { ...record, ...DEFAULT_SETTINGS, ...settings };
  await loadTenant(holdfast.redis, changed, { definitionsVersion: 0, lease: null });
}

const reserve = async (fields: object, query = '') =>
  (await holdfast.request<ReserveResult[]>('POST', `${API}/reserve${query}`, [{ resource, requester: 'q', ...fields }]))
    .body[0];
const transact = async (method: string, requests: object[], more = {}) => {
  const reserves = requests.map((one) => ({ requestType: 'RESERVE', resource, requester: 'q', ...one }));
  const body = { method, requests: reserves, ...more };
  return (await holdfast.request<TransactionResult>('POST', `${API}/transaction?pollSeconds=0`, body)).body;
};
const queue = async () => (await holdfast.waiting()).body.map(({ requester }) => requester);

describe('defaultTtlSeconds is the lease of reservations whose requests ask for none', () => {
  beforeEach(() => set({ defaultTtlSeconds: 60 }));

  test('by name, by match, of several slots and SHARED', async () => {
    await holdfast.register({ name: 'pool', capacity: 3 }, { name: 'phone', labels: { os: 'android' } });
    expect(await reserve({})).toMatchObject({ status: 'ACQUIRED', expiresAt: at(60) });
    expect(await reserve({ resource: 'pool', count: 2 })).toMatchObject({
      slots: ['pool_0', 'pool_1'],
      expiresAt: at(60),
    });
    expect(await reserve({ resource: 'docs', mode: 'SHARED' })).toMatchObject({ mode: 'SHARED', expiresAt: at(60) });
    expect(await reserve({ resource: undefined, match: { os: 'android' } })).toMatchObject({
      resource: 'phone',
      expiresAt: at(60),
    });
    expect((await holdfast.active()).body.map(({ expiresAt }) => expiresAt)).toEqual(Array(4).fill(at(60)));
  });

  test('in a transaction and in a dry run', async () => {
    const { results } = await transact('ALL_OR_NONE', [{}, { resource: `${resource}-2`, ttlSeconds: 30 }]);
    expect(results).toMatchObject([{ expiresAt: at(60) }, { expiresAt: at(30) }]);
    expect(await reserve({ resource: 'dry' }, '?dryRun=true')).toMatchObject({ expiresAt: at(60) });
  });

  test('not where they have a lease or a session of their own', async () => {
    const { session, expiresAt } = await begin(holdfast, 'q', 600);
    expect(await reserve({ ttlSeconds: 90 })).toMatchObject({ expiresAt: at(90) });
    expect(await reserve({ resource: 's', session })).toMatchObject({ status: 'ACQUIRED', expiresAt });
  });

  test('also of a request that waits: its grant has that lease once it is claimed', async () => {
    const held = await reserve({ requester: 'owner' });
    const wait = () => reserve({ waitSeconds: 600 }, '?pollSeconds=0');
    expect(await wait()).toMatchObject({ status: 'WAITING' });
    await setClock(holdfast.redis, holdfast.tenant, NOW + 5000);
    await holdfast.unreserve({ resource, requester: 'owner', releaseToken: held?.releaseToken });
    expect(await wait()).toMatchObject({ status: 'ACQUIRED', expiresAt: at(65) });
  });

  test('without it, a request that waits has to ask for one', async () => {
    await set({});
    const message = 'ttlSeconds is required where waitSeconds is more than 0';
    const item = { resource, requester: 'q', waitSeconds: 5 };
    expect(await holdfast.request('POST', `${API}/reserve`, [{ ...item, waitSeconds: 0 }, item])).toMatchObject({
      status: 400,
      body: `[1].${message}`,
    });
    expect(await transact('FIRST', [{ ttlSeconds: 5 }, {}], { waitSeconds: 5 })).toBe(`requests[1].${message}`);
    expect((await holdfast.active()).body).toEqual([]);
  });
});

describe('maxTtlSeconds is the longest lease of a reservation', () => {
  beforeEach(() => set({ maxTtlSeconds: 3600 }));

  test.each<[string, object]>([
    ['longer', { ttlSeconds: 3601 }],
    ['none', {}],
  ])('%s: NOT_VALID, also in a dry run, and RESERVE_FAILED', async (_, fields) => {
    const refused = { status: 'NOT_VALID', explanation: TOO_LONG, releaseToken: null };
    expect(await reserve(fields, '?dryRun=true')).toMatchObject(refused);
    const subscriber = await watch(holdfast);
    expect(await reserve(fields)).toMatchObject(refused);
    expect(await subscriber.count(1)).toMatchObject([{ type: 'RESERVE_FAILED', resource, explanation: 'NOT_VALID' }]);
    subscriber.close();
    expect((await holdfast.active()).body).toEqual([]);
  });

  test('just as long, or by default: ACQUIRED', async () => {
    expect(await reserve({ ttlSeconds: 3600 })).toMatchObject({ status: 'ACQUIRED', expiresAt: at(3600) });
    await set({ maxTtlSeconds: 3600, defaultTtlSeconds: 60 });
    expect(await reserve({ resource: 'default' })).toMatchObject({ status: 'ACQUIRED', expiresAt: at(60) });
  });

  test('by match, of several slots, SHARED, and for one item of a transaction', async () => {
    await holdfast.register({ name: 'pool', capacity: 3 }, { name: 'phone', labels: { os: 'android' } });
    const lease = { ttlSeconds: 3601 };
    for (const fields of [
      { resource: 'pool', count: 2, ...lease },
      { resource: 'docs', mode: 'SHARED', ...lease },
      { resource: undefined, match: { os: 'android' }, ...lease },
    ])
      expect(await reserve(fields)).toMatchObject({ status: 'NOT_VALID', explanation: TOO_LONG });
    expect(await transact('ALL_OR_NONE', [{ ttlSeconds: 60 }, { resource: 'b', ...lease }])).toMatchObject({
      status: 'ROLLED_BACK',
      results: [{ explanation: 'ROLLED_BACK' }, { explanation: TOO_LONG }],
    });
    expect(await transact('FIRST', [lease, { resource: 'b', ttlSeconds: 60 }])).toMatchObject({
      status: 'APPLIED',
      results: [{ status: 'NOT_VALID', explanation: TOO_LONG }, { status: 'ACQUIRED' }],
    });
  });

  test('for what a requester holds already: ALREADY_HAD, and check says that it could be reserved', async () => {
    await set({});
    const held = await reserve({});
    await set({ maxTtlSeconds: 3600 });
    expect(await reserve({})).toMatchObject({
      status: 'ALREADY_HAD',
      releaseToken: held?.releaseToken,
      expiresAt: null,
    });
    await holdfast.register({ name: 'leaf', treePath: 'root' });
    expect((await holdfast.check({ resource, requester: 'q' }, { resource: 'leaf' })).body).toMatchObject([
      { reservable: true },
      { reservable: true },
    ]);
  });

  test('a longer renewal is refused with its whole request', async () => {
    const a = await reserve({ ttlSeconds: 60 });
    const b = await reserve({ resource: 'b', ttlSeconds: 60 });
    const items = [a, b].map((one, i) => ({
      resource: one?.resource ?? '',
      requester: 'q',
      releaseToken: one?.releaseToken,
      ttlSeconds: 3600 + i,
    }));
    expect(await holdfast.renew(...items)).toMatchObject({
      status: 400,
      body: '[1].ttlSeconds must be at most 3600 by the setting maxTtlSeconds of the tenant',
    });
    expect((await holdfast.active()).body.map(({ expiresAt }) => expiresAt)).toEqual([at(60), at(60)]);
    expect((await holdfast.renew(...items.slice(0, 1))).body).toMatchObject([
      { status: 'RENEWED', expiresAt: at(3600) },
    ]);
  });

  test('a session lasts no longer', async () => {
    const body = 'ttlSeconds must be at most 3600 by the setting maxTtlSeconds of the tenant';
    const ask = { requester: 'q', ttlSeconds: 3601 };
    expect(await holdfast.request('POST', '/api/v1/Session', ask)).toMatchObject({ status: 400, body });
    expect((await sessions(holdfast)).map(({ ttlSeconds }) => ttlSeconds)).not.toContain(3601);
    const { session } = await begin(holdfast, 'q', 3600);
    expect(await reserve({ session })).toMatchObject({ status: 'ACQUIRED', expiresAt: at(3600) });
  });

  test('a session that began before the setting and lasts longer gets no reservation and no renewal', async () => {
    await set({});
    const { session, token } = await begin(holdfast, 'q', 3601);
    await reserve({ session });
    await set({ maxTtlSeconds: 3600 });
    expect(await reserve({ resource: 'b', session })).toMatchObject({ status: 'NOT_VALID', explanation: TOO_LONG });
    expect(await holdfast.request('POST', '/api/v1/Session/renew', { session, token })).toMatchObject({
      status: 400,
      body: 'The ttlSeconds of the session must be at most 3600 by the setting maxTtlSeconds of the tenant',
    });
    expect((await holdfast.active()).body).toMatchObject([{ resource, expiresAt: at(3601) }]);
  });
});

describe('requireNote asks for a note', () => {
  beforeEach(() => set({ requireNote: true }));

  test('without one, or with an empty one: NOT_VALID', async () => {
    for (const fields of [{}, { note: '' }, { ttlSeconds: 60, mode: 'SHARED' }])
      expect(await reserve(fields)).toMatchObject({ status: 'NOT_VALID', explanation: NO_NOTE });
    expect(await reserve({ note: 'nightly build' })).toMatchObject({ status: 'ACQUIRED' });
    expect(await reserve({})).toMatchObject({ status: 'ALREADY_HAD' });
    const { session } = await begin(holdfast, 'q', 60);
    expect(await reserve({ resource: 'b', session })).toMatchObject({ explanation: NO_NOTE });
    expect(await reserve({ resource: 'b', session, note: 'n' })).toMatchObject({ status: 'ACQUIRED' });
  });

  test('of each item of a transaction, and of a match', async () => {
    await holdfast.register({ name: 'phone', labels: { os: 'android' } });
    expect(await transact('AS_MANY_AS_POSSIBLE', [{}, { resource: 'b', note: 'n' }])).toMatchObject({
      results: [{ explanation: NO_NOTE }, { status: 'ACQUIRED' }],
    });
    const any = { resource: undefined, match: { os: 'android' } };
    expect(await reserve(any)).toMatchObject({ status: 'NOT_VALID', explanation: NO_NOTE });
    expect(await reserve({ ...any, note: 'n' })).toMatchObject({ status: 'ACQUIRED', resource: 'phone' });
  });
});

describe('a request that waits', () => {
  const wait = (fields: object, query = '?pollSeconds=0') => reserve({ waitSeconds: 600, ...fields }, query);
  let held: ReserveResult | undefined;
  const release = () => holdfast.unreserve({ resource, requester: 'owner', releaseToken: held?.releaseToken });
  beforeEach(async () => {
    held = await reserve({ requester: 'owner' });
  });

  test('gets no ticket if the settings do not allow it', async () => {
    await set({ maxTtlSeconds: 3600, requireNote: true });
    expect(await wait({ ttlSeconds: 3601, note: 'n' })).toMatchObject({ status: 'NOT_VALID', explanation: TOO_LONG });
    expect(await wait({ ttlSeconds: 3600 })).toMatchObject({ status: 'NOT_VALID', explanation: NO_NOTE });
    expect(await queue()).toEqual([]);
    expect(await wait({ ttlSeconds: 3600, note: 'n' })).toMatchObject({ status: 'WAITING' });
  });

  test('ends if a change of the settings does not allow it any more', async () => {
    await holdfast.register({ name: 'phone', labels: { os: 'android' } });
    await reserve({ resource: 'phone', requester: 'owner' });
    const calls = [
      wait({ ttlSeconds: 3601, note: 'n' }, '?pollSeconds=30'),
      wait({ requester: 'matching', resource: undefined, match: { os: 'android' }, ttlSeconds: 3601, note: 'n' }, ''),
      wait({ requester: 'silent', ttlSeconds: 60 }, ''),
    ];
    await wait({ requester: 'good', ttlSeconds: 3600, note: 'n' });
    await until('all wait', async () => (await queue()).length === 4);
    await set({ maxTtlSeconds: 3600, requireNote: true });
    expect(await queue()).toEqual(['good']);
    expect(await Promise.all(calls)).toMatchObject(
      [TOO_LONG, TOO_LONG, NO_NOTE].map((explanation) => ({ status: 'NOT_VALID', explanation })),
    );
    await release();
    expect(await wait({ requester: 'good', ttlSeconds: 60, note: 'n' })).toMatchObject({ status: 'ACQUIRED' });
  });

  test('as a transaction ends with the item that is not allowed; FIRST goes on with the others', async () => {
    const items = [
      { resource, ttlSeconds: 3601 },
      { resource: 'b', ttlSeconds: 60 },
    ];
    await reserve({ resource: 'b', requester: 'owner' });
    expect(await transact('ALL_OR_NONE', items, { waitSeconds: 600 })).toMatchObject({ status: 'WAITING' });
    expect(await transact('FIRST', items, { waitSeconds: 600 })).toMatchObject({ status: 'WAITING' });
    await set({ maxTtlSeconds: 3600 });
    expect((await holdfast.waiting()).body.map(({ method }) => method)).toEqual(['FIRST']);
    await release();
    expect((await holdfast.active()).body.map((one) => one.resource)).toEqual(['b']);
    expect(await transact('FIRST', items, { waitSeconds: 600 })).toMatchObject({
      status: 'WAITING',
    });
  });

  test('has no longer lease than the maximum when its grant is claimed', async () => {
    await wait({ ttlSeconds: 3600 });
    await release();
    await set({ maxTtlSeconds: 60 });
    expect(await wait({ ttlSeconds: 3600 })).toMatchObject({ status: 'ACQUIRED', expiresAt: at(60) });
  });
});
