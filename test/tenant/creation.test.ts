/**
 * Tenants that administrators create (docs/specification.md#tenants-and-administration).
 */
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { Sealer } from '../../src/identity/credentials.ts';
import { newDefaultKey } from '../../src/operations/keys.ts';
import type { Db } from '../../src/store/db.ts';
import { apiKeys } from '../../src/store/schema.ts';
import { recordSignIn } from '../../src/store/signIns.ts';
import { admin, asAdmin, holdfast, own, store, trail, useAdministration, user } from '../support/administration.ts';
import { ask } from '../support/ask.ts';
import { makeTenant } from '../support/service.ts';
import { KEY_SECRET, signIn, storeTenant } from '../support/tenancy.ts';

useAdministration();

const keysOf = (db: Db, tenant: string) => db.select().from(apiKeys).where(eq(apiKeys.tenantId, tenant));
const make = (body: object) => asAdmin<{ id: string; tier: string }>('POST', '', body);
const acme = (owner?: string) => ({ id: makeTenant(), name: 'Acme Corp.', tier: 'Pro', ...(owner && { owner }) });

/** Signs in somebody with an address, as far as the database goes. */
const admit = (email: string) => {
  const person = { issuer: 'https://id.example', subject: `of ${email}`, email, name: null, groups: [] };
  return recordSignIn(store, person, '192.0.2.1', newDefaultKey(new Sealer(KEY_SECRET)));
};
const tenantsOf = async (email: string) =>
  (await admit(email)).memberships.map(({ tenant, role }) => `${tenant} ${role}`);

describe('a tenant that an administrator creates', () => {
  test('has its name, its tier and a default key, and is in the audit trail', async () => {
    const body = acme();
    expect(await make(body)).toMatchObject({
      status: 201,
      body: { ...body, suspendedAt: null, usage: { requests: 0 } },
    });
    const keys = await store.database.run((db) => keysOf(db, body.id));
    expect(keys).toMatchObject([{ isDefault: true, permission: 'full' }]);
    expect(await trail(body.id)).toMatchObject([{ actor: 'admin:root@id.example', action: 'tenant.create' }]);
  });

  test('invites its first owner, by an address in any case', async () => {
    const body = acme('First@Acme.example');
    expect((await make(body)).status).toBe(201);
    expect(await tenantsOf('first@acme.example')).toEqual([`${body.id} owner`]);
    expect((await make(body)).status).toBe(200);
  });

  test('invites for 14 days', async () => {
    const body = acme('late@acme.example');
    await make(body);
    const in14Days = Date.now() + 14 * 86_400_000;
    const { details } = (await trail(body.id))[0] ?? { details: {} };
    const { expiresAt } = { expiresAt: '', ...details };
    expect(Math.abs(Date.parse(expiresAt) - in14Days)).toBeLessThan(60_000);
  });
});

describe('creating a tenant again', () => {
  test('with the same content: 200, and nothing happens', async () => {
    const body = acme('again@acme.example');
    const all = await Promise.all([make(body), make(body), make(body)]);
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, 200, 201]);
    expect((await trail(body.id)).map(({ action }) => action)).toEqual(['invitation.create', 'tenant.create']);
  });

  test('with another name, tier or owner: 400', async () => {
    const body = acme('owner@acme.example');
    await make(body);
    await admit('owner@acme.example');
    for (const other of [{ name: 'Other' }, { tier: 'Free' }, { owner: 'another@acme.example' }])
      expect(await make({ ...body, ...other })).toMatchObject({ status: 400, body: expect.stringContaining('in use') });
    expect(await tenantsOf('another@acme.example')).not.toContain(`${body.id} owner`);
  });

  test('with another owner, before there is one, replaces the invitation', async () => {
    const body = acme('mistyped@acme.example');
    await make(body);
    expect((await make({ ...body, owner: 'right@acme.example' })).status).toBe(200);
    expect(await tenantsOf('mistyped@acme.example')).not.toContain(`${body.id} owner`);
    expect(await tenantsOf('right@acme.example')).toEqual([`${body.id} owner`]);
  });

  test('after it was deleted: 400, since its audit trail is still there', async () => {
    const body = acme();
    await make(body);
    await store.database.run((db) => db.execute(`delete from tenants where id = '${body.id}'`));
    expect(await make(body)).toMatchObject({ status: 400, body: expect.stringContaining('was deleted') });
  });
});

describe('a tenant is not created', () => {
  test.each([
    [{ id: 'No id' }, 'id must be the id of a tenant'],
    [{ name: '' }, 'name must'],
    [{ tier: 'Gold' }, 'tier must be one of'],
    [{ owner: 'nobody' }, 'owner must be an e-mail address'],
    [{ key: 'x' }, 'key is not a known field'],
  ])('with %j: 400', async (fields, fault) => {
    expect(await make({ ...acme(), ...fields })).toMatchObject({ status: 400, body: expect.stringContaining(fault) });
  });

  test('by anybody but an administrator: 403', async () => {
    const body = acme();
    expect((await user.request(holdfast.url, 'POST', '/api/v1/admin/tenants', body)).status).toBe(403);
    expect((await holdfast.request('POST', '/api/v1/admin/tenants', body)).status).toBe(403);
    expect((await asAdmin('GET', `/${body.id}`)).status).toBe(404);
  });
});

describe('the form', () => {
  const send = (fields: Record<string, string>, cookie = admin.cookie) =>
    ask(`${holdfast.url}/dashboard/tenants`, {
      method: 'POST',
      headers: { Cookie: cookie, Origin: holdfast.url },
      body: new URLSearchParams(fields),
    });

  test('creates a tenant and shows it, without an owner too', async () => {
    const { id, name, tier } = acme();
    expect((await send({ id, name, tier, owner: '' })).to).toBe(`/dashboard/tenants/${id}?done=tenantCreated`);
    expect((await asAdmin('GET', `/${id}`)).body).toMatchObject({ id, name, tier });
  });

  test('leads to a page with the settings, as they are by now', async () => {
    const { tenant } = await storeTenant(store);
    const page = async () => {
      const { text } = await ask(`${holdfast.url}/dashboard/tenants/${tenant}`, { headers: { Cookie: admin.cookie } });
      return text.replaceAll(/<[^>]+>\s*/g, '|').replaceAll(/\|+/g, '|');
    };
    expect(await page()).toContain('ask for none|none|Longest lease|any|Reservations must have a note|no|');
    const owner = await signIn(store.redis, tenant);
    const settings = { defaultTtlSeconds: 61, maxTtlSeconds: 3600, requireNote: true, maxPriority: 7 };
    expect((await owner.request(holdfast.url, 'PUT', '/api/v1/Tenant/settings', settings)).status).toBe(200);
    expect(await page()).toContain('Highest priority|7|Lease of reservations that ask for none|61 s|');
    expect(await page()).toContain('Longest lease|3600 s|Reservations must have a note|yes|');
  });

  test('shows what is wrong, and keeps what was typed', async () => {
    const { status, text } = await send({ id: own.tenant, name: 'Typed name', tier: 'Pro', owner: '' });
    expect([status, text]).toEqual([400, expect.stringContaining('in use')]);
    expect(text).toContain('value="Typed name"');
  });

  test('is for administrators; once their rights have lapsed, it leads through the sign-in and back', async () => {
    const { id, name, tier } = acme();
    expect((await send({ id, name, tier, owner: '' }, user.cookie)).status).toBe(403);
    const lapsed = await signIn(store.redis, own.tenant, { email: 'root@id.example', describedUntilMs: 1 });
    expect((await send({ id, name, tier, owner: '' }, lapsed.cookie)).status).toBe(303);
    expect((await asAdmin('GET', `/${id}`)).status).toBe(404);
  });
});
