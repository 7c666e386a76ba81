/**
 * The audit trail of a tenant, and of all tenants for administrators (docs/specification.md#audit-trail).
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { audit } from '../../src/store/schema.ts';
import { ADMIN, asAdmin, holdfast, other, own, store, useAdministration, user } from '../support/administration.ts';
import { makeTenant } from '../support/service.ts';
import { type Session, signIn, storeTenant } from '../support/tenancy.ts';
import { until } from '../support/until.ts';

useAdministration();

const AT = '/api/v1/Tenant/audit';

interface Entry {
  readonly id: number;
  readonly at: string;
  readonly tenant: string;
  readonly actor: string;
  readonly address: string | null;
  readonly action: string;
  readonly details: object;
}
interface Page {
  readonly entries: readonly Entry[];
  readonly next: number | null;
}

const read = async (session: Session, query = '') =>
  (await session.request<Page>(holdfast.url, 'GET', AT + query)).body;

/** Notes entries as if they had been made in this order, a day apart from 2026-01-01 on. */
async function entries(tenant: string, ...made: readonly { actor?: string; action?: string; details?: object }[]) {
  const rows = made.map(({ actor = 'key:worker', action = 'key.create', details = {} }, day) => ({
    tenantId: tenant,
    actor,
    action,
    details,
    address: null,
    at: new Date(Date.UTC(2026, 0, 1 + day, 12)),
  }));
  await store.database.run((db) => db.insert(audit).values(rows));
}

const text = async (session: Session, query: string, headers: Record<string, string> = {}) => {
  const response = await fetch(holdfast.url + query, { headers: { Cookie: session.cookie, ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('an entry', () => {
  test('says who changed definitions, or reset, and from which address', async () => {
    const { key, tenant } = await storeTenant(store);
    const session = await signIn(store.redis, tenant, { email: 'ann@example.com' });
    const byKey = (method: string, path: string, body?: unknown) =>
      holdfast.request(method, path, body, { 'X-Api-Key': key });
    await byKey('POST', '/api/v1/Resource/register', [{ name: 'a' }]);
    await byKey('POST', '/api/v1/Reservation/reserve', [{ resource: 'a', requester: 'r' }]);
    await byKey('POST', '/api/v1/Reservation/reset');
    await session.request(holdfast.url, 'DELETE', '/api/v1/Resource/a');
    await session.request(other.url, 'POST', '/api/v1/Reservation/reset');
    await asAdmin('POST', `/${tenant}/reset`);
    const { entries: found } = await until('all are noted', async () => {
      const page = await read(session);
      return page.entries.length === 6 ? page : undefined;
    });
    const { address } = found.find(({ action }) => action === 'definitions.register') ?? {};
    expect(address).toBe('127.0.0.1');
    const short = found.map(({ actor, address: from, action, details }) => [actor, from, action, details]);
    expect(short).toHaveLength(6);
    expect(short).toEqual(
      expect.arrayContaining([
        ['key', address, 'definitions.register', { names: ['a'], count: 1 }],
        ['key', address, 'reservations.reset', { count: 1 }],
        ['person:ann@example.com', address, 'definitions.delete', { names: ['a'], count: 1 }],
        ['person:ann@example.com', address, 'reservations.reset', { count: 0 }],
        ['admin:root@id.example', address, 'tenant.reset', { count: 0 }],
      ]),
    );
  });

  test('says which reservations and turns of others a person took away, and none of those released by their token', async () => {
    const { key, tenant } = await storeTenant(store);
    const session = await signIn(store.redis, tenant, { email: 'ann@example.com' });
    const reserve = async (resource: string, more: object = {}) =>
      (
        await holdfast.request<{ releaseToken: string }[]>(
          'POST',
          '/api/v1/Reservation/reserve?pollSeconds=0',
          [{ resource, requester: 'r', ...more }],
          { 'X-Api-Key': key },
        )
      ).body[0]?.releaseToken ?? '';
    const ask = (verb: string, body: object) =>
      session.request(holdfast.url, 'POST', `/api/v1/Reservation/${verb}`, body);
    const releaseToken = await reserve('own');
    for (const resource of ['a', 'b', 'c']) await reserve(resource);
    await ask('unreserve?dryRun=true', [{ resource: 'a', requester: 'r' }]);
    const release = await ask('unreserve', [
      { resource: 'own', requester: 'r', releaseToken },
      { resource: 'a', requester: 'r' },
      { resource: 'b', requester: 'r', releaseToken },
    ]);
    expect(release.body).toMatchObject([{ released: ['own'] }, { released: ['a'] }, { released: ['b'] }]);
    await reserve('c', { requester: 'w', ttlSeconds: 60, waitSeconds: 60 });
    await ask('cancel', [{ resource: 'c', requester: 'w' }]);
    const requests = [{ requestType: 'UNRESERVE', resource: 'c', requester: 'r' }];
    await ask('transaction', { method: 'ALL_OR_NONE', requests });
    const found = await until('all are noted', async () => {
      const { entries: noted } = await read(session, '?actor=person:ann@example.com');
      return noted.length === 4 ? noted : undefined;
    });
    expect(found.map(({ action, details }) => ({ action, ...details }))).toEqual(
      expect.arrayContaining([
        { action: 'reservation.take', resource: 'a', requester: 'r' },
        { action: 'reservation.take', resource: 'b', requester: 'r' },
        { action: 'reservation.take', resource: 'c', requester: 'r' },
        { action: 'wait.cancel', resource: 'c', requester: 'w' },
      ]),
    );
  });

  test('of a reset is not written again for a repeat', async () => {
    const { key, tenant } = await storeTenant(store);
    const session = await signIn(store.redis, tenant);
    const idempotency = { 'X-Api-Key': key, 'Idempotency-Key': 'one' };
    for (let i = 0; i < 3; i++) await holdfast.request('POST', '/api/v1/Reservation/reset', undefined, idempotency);
    await holdfast.request('POST', '/api/v1/Reservation/reset', undefined, { 'X-Api-Key': key });
    const resets = async () => (await read(session, '?action=reservations.reset')).entries.length;
    await until('two are noted', async () => (await resets()) === 2);
  });
});

describe('a page of the trail', () => {
  let tenant: string;
  let session: Session;
  beforeAll(async () => {
    tenant = makeTenant();
    session = await signIn(store.redis, (await storeTenant(store, 'Enterprise', tenant)).tenant);
    await entries(
      tenant,
      { actor: 'person:ann@example.com', action: 'key.create', details: { label: 'worker' } },
      { actor: 'key:worker', action: 'definitions.register' },
      { actor: 'person:ann@example.com', action: 'settings.change' },
      { actor: 'key:worker', action: 'key.create' },
    );
    await entries(makeTenant(), { actor: 'person:ann@example.com' });
  });
  const told = ({ entries: found }: Page) => found.map(({ actor, action }) => `${actor} ${action}`);

  test('has the latest entry first, and nothing of another tenant', async () => {
    const page = await read(session, '?to=2026-02-01T00:00:00Z');
    expect(told(page)).toEqual([
      'key:worker key.create',
      'person:ann@example.com settings.change',
      'key:worker definitions.register',
      'person:ann@example.com key.create',
    ]);
    expect(page.entries.at(-1)).toEqual({
      id: expect.any(Number),
      at: '2026-01-01T12:00:00.000Z',
      tenant,
      actor: 'person:ann@example.com',
      address: null,
      action: 'key.create',
      details: { label: 'worker' },
    });
  });

  test.each([
    ['actor', 'actor=key:worker', ['key:worker key.create', 'key:worker definitions.register']],
    ['action', 'action=key.create', ['key:worker key.create', 'person:ann@example.com key.create']],
    ['actor and action', 'action=key.create&actor=person:ann@example.com', ['person:ann@example.com key.create']],
    [
      'from and to, which is exclusive',
      'from=2026-01-02T12:00:00Z&to=2026-01-04T14:00:00%2B02:00',
      ['person:ann@example.com settings.change', 'key:worker definitions.register'],
    ],
  ])('is filtered by %s', async (_, query, expected) => {
    expect(told(await read(session, `?${query}`))).toEqual(expected);
  });

  test.each(['', '&actor=key:worker', '&action=key.create', '&to=2026-02-01T00:00:00Z'])(
    'leads to the next one until there is none%s',
    async (filter) => {
      const all = await read(session, `?limit=500${filter}`);
      expect(all.next).toBeNull();
      const paged: Entry[] = [];
      for (let before = ''; ; ) {
        const page = await read(session, `?limit=1${filter}${before}`);
        paged.push(...page.entries);
        if (page.next === null) break;
        before = `&before=${page.next}`;
      }
      expect(paged).toEqual(all.entries);
    },
  );

  test('after an entry that no longer exists is empty', async () => {
    expect(await read(session, '?before=999999999999999')).toEqual({ entries: [], next: null });
  });

  test.each([
    ['limit=0', 'limit must be an integer from 1 to 500'],
    ['before=x', 'before must be the id of an entry'],
    ['from=yesterday', 'from must be a time as 2026-01-31T12:00:00Z'],
    ['action=%00', 'action must be the name of an action, as key.create'],
    ['format=xml', 'format must be json or csv'],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await session.request(holdfast.url, 'GET', `${AT}?${query}`);
    expect([status, body]).toEqual([400, message]);
  });

  test('costs one read', async () => {
    const { headers } = await user.request(holdfast.url, 'GET', AT);
    const { headers: after } = await user.request(holdfast.url, 'GET', AT);
    const left = (of: Headers) => Number(/r=(\d+)/.exec(of.get('ratelimit') ?? '')?.[1]);
    expect(left(headers) - left(after)).toBe(1);
  });
});

describe('the right `audit`', () => {
  test.each([
    ['viewer', 403],
    ['member', 403],
    ['operator', 200],
    ['owner', 200],
  ] as const)('%s: %i', async (role, status) => {
    const session = await signIn(store.redis, own.tenant, { role });
    expect((await session.request(holdfast.url, 'GET', AT)).status).toBe(status);
    expect((await text(session, `${AT}?format=csv`)).status).toBe(status);
  });

  test('is no key’s: 403', async () => {
    expect((await holdfast.request('GET', AT)).status).toBe(403);
  });
});

describe('CSV', () => {
  const HEAD = 'id,at,tenant,actor,address,action,details';

  test('has a line for each entry, quotes what needs it, and no cell that a spreadsheet takes for a formula', async () => {
    const tenant = makeTenant();
    const session = await signIn(store.redis, (await storeTenant(store, 'Enterprise', tenant)).tenant);
    await entries(tenant, { actor: '=1+1' }, { actor: 'key:a "b", c', details: { label: 'x\ny' } }, { actor: '-cmd' });
    const { headers, text: csv } = await text(session, `${AT}?format=csv&to=2026-02-01T00:00:00Z`);
    expect(headers.get('content-type')).toContain('text/csv');
    expect(headers.get('content-disposition')).toContain('audit.csv');
    expect(csv.replaceAll(/^\d+/gm, 'ID').split('\r\n')).toEqual([
      HEAD,
      `ID,2026-01-03T12:00:00.000Z,${tenant},'-cmd,,key.create,{}`,
      `ID,2026-01-02T12:00:00.000Z,${tenant},"key:a ""b"", c",,key.create,"{""label"":""x\\ny""}"`,
      `ID,2026-01-01T12:00:00.000Z,${tenant},'=1+1,,key.create,{}`,
      '',
    ]);
  });

  test('is also what Accept asks for, filtered; without an entry it is the first line', async () => {
    const accept = { Accept: 'text/csv' };
    expect((await text(user, `${AT}?action=no.such`, accept)).text).toBe(`${HEAD}\r\n`);
    expect((await text(user, `${AT}?action=no.such&format=json`, accept)).text).toBe('{"entries":[],"next":null}');
  });

  test('of any length is complete, in pages of 1,000, each for one read', async () => {
    const tenant = makeTenant();
    const session = await signIn(store.redis, (await storeTenant(store, 'Pro', tenant)).tenant);
    await entries(tenant, ...Array.from({ length: 2300 }, (_, i) => ({ actor: `key:${i}` })));
    const left = (of: Headers) => Number(/r=(\d+)/.exec(of.get('ratelimit') ?? '')?.[1]);
    const before = left((await session.request(holdfast.url, 'GET', AT)).headers);
    const lines = (await text(session, `${AT}?format=csv&action=key.create`)).text.split('\r\n');
    expect(new Set(lines.map((line) => line.split(',')[3])).size).toBe(2300 + 2);
    expect(before - left((await session.request(other.url, 'GET', AT)).headers)).toBe(3 + 1);
  });
});

describe('administrators', () => {
  test('read the trail of all tenants, or of one, also if it was deleted; others do not', async () => {
    const gone = makeTenant();
    await entries(gone, { action: 'key.delete', actor: 'person:gone@example.com' });
    const path = '/../audit?actor=person:gone@example.com';
    expect((await asAdmin<Page>('GET', path)).body.entries).toMatchObject([{ tenant: gone, action: 'key.delete' }]);
    expect((await asAdmin<Page>('GET', `${path}&tenant=${own.tenant}`)).body.entries).toEqual([]);
    expect((await asAdmin<Page>('GET', `/../audit?tenant=${gone}`)).body.entries).toHaveLength(1);
    const admin = await signIn(store.redis, own.tenant, { email: 'root@id.example' });
    const csv = await text(admin, `/api/v1/admin/audit?tenant=${gone}&format=csv`);
    expect(csv.text).toContain(`,${gone},person:gone@example.com,,key.delete,{}\r\n`);
    expect((await user.request(holdfast.url, 'GET', `${ADMIN}/../audit`)).status).toBe(403);
  });

  test('is refused with a time that the database does not know', async () => {
    for (const query of ['from=0000-01-01T00:00:00Z', 'to=9999-12-31T23:59:59-23:00'])
      expect((await user.request(holdfast.url, 'GET', `${AT}?${query}`)).status).toBe(400);
  });
});
