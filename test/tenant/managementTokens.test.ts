/**
 * Management tokens (docs/specification.md#management-tokens), at two instances on one database.
 */
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../src/domain/rights.ts';
import { putGroup } from '../../src/store/groupRoles.ts';
import { lock } from '../../src/store/members.ts';
import { audit, managementTokens, members, users } from '../../src/store/schema.ts';
import { forget } from '../support/hotRecord.ts';
import { bearer, type ManagementToken, makeToken, TOKENS, tokenContent } from '../support/managementTokens.ts';
import type { Instance } from '../support/service.ts';
import { BY, type Session, signIn, somebodyWaits, storeTenant } from '../support/tenancy.ts';
import { one, other, own, store, useTwoInstances } from '../support/twoInstances.ts';
import { until } from '../support/until.ts';

const KEYS = '/api/v1/Tenant/keys';
const SETTINGS = '/api/v1/Tenant/settings';
let owner: Session;
useTwoInstances('Starter');
beforeAll(async () => {
  owner = await signIn(store.redis, own.tenant);
});

const create = (content: object, who = owner) => who.request<ManagementToken>(one.url, 'POST', TOKENS, content);
const remove = (id: string) => owner.request(one.url, 'DELETE', `${TOKENS}/${id}`);
const statusWith = async (instance: Instance, token: string, path = KEYS) =>
  (await instance.request('GET', path, undefined, bearer(token))).status;

describe('a management token', () => {
  test('is made by an owner, and its value is in that response alone', async () => {
    const content = tokenContent(['settings', 'keys']);
    const { status, body } = await create(content);
    expect(status).toBe(201);
    const { token, ...rest } = body;
    expect(token).toMatch(new RegExp(`^hfm_${own.tenant}_[A-Za-z0-9]{40}$`));
    expect(rest).toEqual({
      ...content,
      id: expect.any(String),
      scopes: ['keys', 'settings'],
      createdBy: 'person:somebody@id.example',
      createdAt: expect.any(String),
    });
    expect(await owner.request(one.url, 'GET', `${TOKENS}/${body.id}`)).toMatchObject({ status: 200, body: rest });
    const stored = await store.database.run((db) => db.select().from(managementTokens));
    expect(JSON.stringify(stored)).not.toContain(token);
    expect([...one.logged, ...other.logged].join('')).not.toContain(token);
  });

  test('works on every instance, as a bearer only', async () => {
    const { token } = await makeToken(owner, one, ['keys']);
    expect(await statusWith(other, token)).toBe(200);
    expect((await other.request('GET', KEYS, undefined, { 'X-Api-Key': token })).status).toBe(401);
    expect((await other.request('GET', KEYS, undefined, { ...bearer(token), 'X-Api-Key': token })).status).toBe(401);
  });

  test('does what its scopes say, with its label as the actor in the audit trail, and nothing else', async () => {
    const { token, label } = await makeToken(owner, one, ['settings']);
    const put = await one.request('PUT', SETTINGS, { requireRegistration: false }, bearer(token));
    expect(put.status).toBe(200);
    const rows = await store.database.run((db) => db.select().from(audit).where(eq(audit.tenantId, own.tenant)));
    expect(rows).toContainEqual(
      expect.objectContaining({ action: 'settings.change', actor: `token:${label}`, address: '127.0.0.1' }),
    );
    expect(await statusWith(one, token, KEYS)).toBe(403);
  });

  test('registers and deletes resources with the scope definitions, and cannot reserve them', async () => {
    const { token, label } = await makeToken(owner, one, ['definitions']);
    const call = (method: string, path: string, body?: unknown) => one.request(method, path, body, bearer(token));
    expect((await call('POST', '/api/v1/Resource/register', [{ name: 'printer' }])).status).toBe(200);
    const reserve = [{ resource: 'printer', requester: 'q' }];
    expect((await call('POST', '/api/v1/Reservation/reserve', reserve)).status).toBe(403);
    expect((await call('DELETE', '/api/v1/Resource/printer')).status).toBe(200);
    const rows = await store.database.run((db) => db.select().from(audit).where(eq(audit.tenantId, own.tenant)));
    expect(rows).toContainEqual(expect.objectContaining({ action: 'definitions.delete', actor: `token:${label}` }));
  });

  test('with the scope members makes no owner', async () => {
    const { token } = (await create(tokenContent(['members']))).body;
    const invite = (role: string) =>
      one.request('POST', '/api/v1/Tenant/invitations', { email: `${role}@id.example`, role }, bearer(token));
    expect([(await invite('owner')).status, (await invite('operator')).status]).toEqual([403, 201]);
    const id = randomUUID();
    await store.database.run((db) => db.insert(users).values({ id, issuer: 'https://id.example', subject: id }));
    await store.database.run((db) => db.insert(members).values({ tenantId: own.tenant, userId: id, role: 'owner' }));
    const at = `/api/v1/Tenant/members/${id}`;
    expect((await one.request('PUT', at, { role: 'viewer' }, bearer(token))).body).toMatchObject({ code: 'FORBIDDEN' });
    expect((await one.request('DELETE', at, undefined, bearer(token))).body).toMatchObject({ code: 'FORBIDDEN' });
  });

  describe('with the scope members leaves alone what is an owner when its change is carried out', () => {
    const group = async (role: Role) => {
      const tenant = (await storeTenant(store)).tenant;
      await putGroup(store, tenant, 'bosses', role, true, BY);
      return {
        tenant,
        at: '/api/v1/Tenant/groups/bosses',
        makeOwner: () => sql`update group_roles set role = 'owner'`,
      };
    };
    const member = async (role: Role) => {
      const tenant = (await storeTenant(store)).tenant;
      const [user] = await store.database.run((db) =>
        db.insert(users).values({ issuer: 'https://id.example', subject: tenant }).returning(),
      );
      const userId = user?.id ?? '';
      await store.database.run((db) => db.insert(members).values({ tenantId: tenant, userId, role }));
      const at = `/api/v1/Tenant/members/${userId}`;
      return { tenant, at, makeOwner: () => sql`update members set role = 'owner'` };
    };
    const CHANGES = [
      ['gives a group a lower role', group, 'PUT'],
      ['deletes a group', group, 'DELETE'],
      ['gives a member a lower role', member, 'PUT'],
      ['removes a member', member, 'DELETE'],
    ] as const;
    /** Asks with a token of the tenant; then reads the role as an owner. */
    const asking = async ({ tenant, at }: { tenant: string; at: string }, method: 'PUT' | 'DELETE') => {
      const person = await signIn(store.redis, tenant);
      const { token } = await makeToken(person, one, ['members']);
      const body = method === 'PUT' ? { role: 'viewer' } : undefined;
      return {
        ask: () => one.request<{ code: string }>(method, at, body, bearer(token)),
        roleNow: async () => (await person.request<{ role: Role }>(one.url, 'GET', at)).body.role,
      };
    };

    test.each(CHANGES)('and %s: 403', async (_, make, method) => {
      const { ask, roleNow } = await asking(await make('owner'), method);
      expect(await ask()).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
      expect(await roleNow()).toBe('owner');
      const other = await asking(await make('operator'), method);
      expect((await other.ask()).status).toBe(200);
    });

    test.each(CHANGES)('and %s just when that becomes an owner: 403', async (_, make, method) => {
      const made = await make('operator');
      const { ask, roleNow } = await asking(made, method);
      const asked = await store.database.transaction(async (tx) => {
        await lock(tx, made.tenant);
        await tx.execute(sql`${made.makeOwner()} where tenant_id = ${made.tenant}`);
        const answer = ask();
        await until('the change waits', () => somebodyWaits(store.database));
        return { answer };
      });
      expect((await asked.answer).status).toBe(403);
      expect(await roleNow()).toBe('owner');
    });
  });

  test('opens no stream of events', async () => {
    const { token } = await makeToken(owner, one, ['keys', 'settings', 'definitions', 'members', 'usage', 'audit']);
    expect(await statusWith(one, token, '/api/v1/events')).toBe(403);
  });

  test('reads in the window of keys, not in that of sessions', async () => {
    const { token } = await makeToken(owner, one, ['keys']);
    const left = async (headers: Record<string, string>) =>
      /r=(\d+)/.exec((await one.request('GET', '/api/v1/Tenant', undefined, headers)).headers.get('ratelimit') ?? '');
    const before = Number((await left({}))?.[1]);
    expect(await statusWith(one, token)).toBe(200);
    expect(Number((await left({}))?.[1])).toBe(before - 2);
  });

  test('ends when it expires, by the clock of Redis', async () => {
    const { expiresAt, token } = await makeToken(owner, one, ['keys']);
    expect(await statusWith(one, token)).toBe(200);
    // Moves the end that Redis has to now.
    const tenant = `{${own.tenant}}:tenant`;
    const end = `\n${Date.parse(expiresAt)}\n`;
    const grants = Object.entries(await store.redis.hgetall(tenant)).filter(([, grant]) => grant.includes(end));
    expect(grants).toHaveLength(1);
    for (const [field, grant] of grants) await store.redis.hset(tenant, field, grant.replace(end, `\n${Date.now()}\n`));
    for (const instance of [one, other]) expect(await statusWith(instance, token)).toBe(401);
  });

  test('is dead on every instance from the moment that its deletion is answered', async () => {
    for (let round = 0; round < 10; round++) {
      const [asked, answering] = round % 2 === 0 ? [one, other] : [other, one];
      const { id, token } = await makeToken(owner, asked, ['keys']);
      if (round % 5 === 0) {
        await forget(store.redis, own.tenant);
        owner = await signIn(store.redis, own.tenant);
      }
      expect(await statusWith(answering, token)).toBe(200);
      expect((await owner.request(asked.url, 'DELETE', `${TOKENS}/${id}`)).status).toBe(200);
      expect(await statusWith(answering, token)).toBe(401);
      expect((await owner.request(answering.url, 'GET', `${TOKENS}/${id}`)).status).toBe(404);
      expect((await owner.request(answering.url, 'DELETE', `${TOKENS}/${id}`)).status).toBe(404);
    }
  });

  test('is dead without the field of its digest', async () => {
    const { token } = await makeToken(owner, one, ['keys']);
    const tenant = `{${own.tenant}}:tenant`;
    const fields = await store.redis.hkeys(tenant);
    const digests = fields.filter((field) => field.startsWith('key:management:'));
    await store.redis.hdel(tenant, ...digests);
    expect(await statusWith(one, token)).toBe(401);
  });

  test('does not count as a key of the tier', async () => {
    const { token } = await makeToken(owner, one, ['usage']);
    const { body } = await one.request<{ usage: { apiKeys: number } }>(
      'GET',
      '/api/v1/Tenant',
      undefined,
      bearer(token),
    );
    expect(body.usage.apiKeys).toBe(1);
  });
});

describe('repeating a creation', () => {
  test('with the same id and content answers 200 without the value, also if both arrive at once', async () => {
    const content = { ...tokenContent(['keys', 'audit']), id: randomUUID() };
    const answers = await Promise.all([create(content), create({ ...content, scopes: ['audit', 'keys', 'keys'] })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(answers.find(({ status }) => status === 200)?.body).not.toHaveProperty('token');
    expect(answers.map(({ body }) => body.id)).toEqual([content.id, content.id]);
  });

  test('with the same id and other content, or an id of another tenant: 400', async () => {
    const content = { ...tokenContent(['keys']), id: randomUUID() };
    await create(content);
    expect(await create({ ...content, label: 'other' })).toMatchObject({ status: 400, body: 'the id is in use' });
    const stranger = await signIn(store.redis, (await storeTenant(store)).tenant);
    expect(await create(content, stranger)).toMatchObject({ status: 400, body: 'the id is in use' });
  });
});

test.each([
  ['no label', { label: undefined }],
  ['no scope', { scopes: [] }],
  ['an unknown scope', { scopes: ['reserve'] }],
  ['a past end', { expiresAt: '2020-01-01T00:00:00Z' }],
  ['an end after more than a year', { expiresAt: new Date(Date.now() + 367 * 86_400_000).toISOString() }],
  ['no end', { expiresAt: undefined }],
  ['an id that is no UUID', { id: 'terraform' }],
  ['an unknown field', { permission: 'full' }],
])('a token with %s: 400', async (_, fault) => {
  const { status, body } = await create({ ...tokenContent(['keys']), ...fault });
  expect([status, typeof body]).toEqual([400, 'string']);
});

test('the list has a cursor, and a tenant has at most 100 tokens', async () => {
  const tenant = (await storeTenant(store)).tenant;
  const other = await signIn(store.redis, tenant);
  const rows = Array.from({ length: 99 }, (_, i) => ({
    tenantId: tenant,
    digest: `${tenant} ${i}`,
    ...{ label: 'x', scopes: ['keys' as const], createdBy: 'person:x', expiresAt: new Date(Date.now() + 60_000) },
  }));
  await store.database.run((db) => db.insert(managementTokens).values(rows));
  expect((await create(tokenContent(['keys']), other)).status).toBe(201);
  const refused = { status: 400, body: 'a tenant has at most 100 management tokens' };
  expect(await create(tokenContent(['keys']), other)).toMatchObject(refused);
  const ids: string[] = [];
  for (let after = '', pages = 0; pages < 5; pages++) {
    const path = `${TOKENS}?limit=40${after === '' ? '' : `&after=${after}`}`;
    const { body } = await other.request<{ tokens: ManagementToken[]; next: string | null }>(one.url, 'GET', path);
    ids.push(...body.tokens.map(({ id }) => id));
    if (body.next === null) break;
    after = body.next;
  }
  expect([ids.length, new Set(ids).size]).toEqual([100, 100]);
  expect((await remove(ids[0] ?? '')).status).toBe(404);
});
