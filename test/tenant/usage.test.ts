/**
 * Administrators see the usage of tenants, and sort by it (docs/specification.md#the-use-of-tenants).
 */
import { describe, expect, test } from 'vitest';
import { copyUsages } from '../../src/operations/copies.ts';
import { admin, asAdmin, holdfast, store, useAdministration } from '../support/administration.ts';
import { ask } from '../support/ask.ts';
import { changeHot } from '../support/hotRecord.ts';
import { storeTenant } from '../support/tenancy.ts';
import { until } from '../support/until.ts';

useAdministration();

interface Listed {
  readonly tenants: readonly { readonly id: string; readonly usage: Record<string, unknown> }[];
  readonly next: string | null;
}

/** Waits until a tenant's usage has been copied. */
const usageOf = async (id: string, isMeant: (usage: Record<string, unknown>) => boolean) => {
  let usage: Record<string, unknown> = {};
  await until('its usage is copied', async () => {
    await copyUsages(store, Date.now() - 60_000);
    usage = (await asAdmin<Listed['tenants'][number]>('GET', `/${id}`)).body.usage;
    return isMeant(usage);
  });
  return usage;
};

describe('the use of a tenant', () => {
  test('is its reservations, its definitions, its requests and refusals of the last hour, and its last request', async () => {
    const { key, tenant } = await storeTenant(store);
    const before = Date.now();
    const call = (method: string, path: string, body?: unknown) =>
      holdfast.request<{ id: string }>(method, `/api/v1${path}`, body, { 'X-Api-Key': key });
    await call('POST', '/Resource/register', [{ name: 'pool', capacity: 3 }, { name: 'desk' }]);
    await call('POST', '/Reservation/reserve', [
      { resource: 'pool', requester: 'r', count: 3 },
      { resource: 'desk', requester: 'r' },
    ]);
    await call('POST', '/Reservation/reserve', [{ resource: 'desk', requester: 'other' }]);
    await call('GET', '/Reservation/activeReservations');
    await call('POST', '/Session', { requester: 'r', ttlSeconds: 600 });
    const usage = await usageOf(tenant, ({ requests }) => requests === 5);
    const lastActiveAt = expect.any(String);
    expect(usage).toEqual({ reservations: 5, definitions: 2, requests: 5, refusals: 1, lastActiveAt });
    expect(Date.parse(String(usage.lastActiveAt))).toBeGreaterThanOrEqual(before);
  });

  test('of one that was never active is nothing', async () => {
    const { tenant } = await storeTenant(store);
    const { body } = await asAdmin<Listed['tenants'][number]>('GET', `/${tenant}`);
    expect(body.usage).toEqual({ reservations: 0, definitions: 0, requests: 0, refusals: 0, lastActiveAt: null });
  });

  test('follows what changes without a request: leases that end, and requests that become old', async () => {
    const { key, tenant } = await storeTenant(store);
    const item = [{ resource: 'x', requester: 'r' }];
    await holdfast.request('POST', '/api/v1/Reservation/reserve', item, { 'X-Api-Key': key });
    await usageOf(tenant, ({ requests, reservations }) => requests === 1 && reservations === 1);
    await store.redis.del(`{${tenant}}:activity`);
    await changeHot(store.redis, tenant, { count: 0 });
    await store.database.run((db) => db.execute(`update tenant_usages set written_at = now() - interval '2 minutes'`));
    await copyUsages(store, Date.now() + 60_000);
    const { body } = await asAdmin<Listed['tenants'][number]>('GET', `/${tenant}`);
    expect(body.usage).toMatchObject({ reservations: 0, requests: 0, lastActiveAt: expect.any(String) });
  });
});

describe('a list of tenants', () => {
  const numbers = { 'by-a': 5, 'by-b': 7, 'by-c': 5, 'by-d': 0 };
  const list = async (query: string) => (await asAdmin<Listed>('GET', `?search=by-&${query}`)).body;
  const ids = ({ tenants }: Listed) => tenants.map(({ id }) => id);

  test('is sorted by any number, the highest first, then by id, page by page', async () => {
    for (const id of Object.keys(numbers)) await storeTenant(store, 'Free', id);
    const put = (id: string, n: number) =>
      `('${id}', ${n}, ${n}, ${n}, ${n}, ${n} * interval '1 s' + timestamptz '2026-01-01', now())`;
    const rows = Object.entries(numbers).flatMap(([id, n]) => (n === 0 ? [] : [put(id, n)]));
    await store.database.run((db) => db.execute(`insert into tenant_usages values ${rows.join(', ')}`));
    for (const sort of ['reservations', 'definitions', 'requests', 'refusals', 'activity']) {
      const first = await list(`sort=${sort}&limit=2`);
      const second = await list(`sort=${sort}&limit=2&after=${first.next}`);
      expect([sort, ids(first), ids(second)]).toEqual([sort, ['by-b', 'by-a'], ['by-c', 'by-d']]);
      const rest = await list(`sort=${sort}&order=asc&limit=3`);
      expect([ids(rest), ids(await list(`sort=${sort}&order=asc&limit=3&after=${rest.next}`))]).toEqual([
        ['by-d', 'by-a', 'by-c'],
        ['by-b'],
      ]);
    }
    expect(ids(await list('order=desc&limit=3'))).toEqual(['by-d', 'by-c', 'by-b']);
  });

  test('repeats and skips no tenant whose number stays as it is, although others change between two pages', async () => {
    const { next } = await list('sort=requests&limit=2');
    await store.database.run((db) =>
      db.execute(`update tenant_usages set requests = case tenant_id when 'by-a' then 9 else requests end`),
    );
    expect(ids(await list(`sort=requests&limit=2&after=${next}`))).toEqual(['by-c', 'by-d']);
  });

  test('refuses another measure, another order and another cursor', async () => {
    for (const query of ['sort=name', 'order=up', 'sort=requests&after=1:2:x', 'after=x:by-a'])
      expect([query, (await asAdmin('GET', `?${query}`)).status]).toEqual([query, 400]);
  });

  test('is a page whose columns sort', async () => {
    const page = async (query: string) => {
      const headers = { Cookie: admin.cookie };
      return (await ask(`${holdfast.url}/dashboard/tenants?q=by-&${query}`, { headers })).text;
    };
    const text = await page('sort=refusals');
    expect(text.indexOf('>by-b<')).toBeLessThan(text.indexOf('>by-a<'));
    expect(text).toContain('aria-sort="descending"');
    expect(text).toContain('q=by-&amp;sort=refusals&amp;order=asc');
  });
});
