/**
 * Subscriptions to events (docs/specification.md#subscriptions), at two instances on one database.
 */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_TYPES } from '../../src/domain/notices.ts';
import { subscriptions } from '../../src/store/noticesSchema.ts';
import { audit, tenants, users } from '../../src/store/schema.ts';
import { bearer, makeToken } from '../support/managementTokens.ts';
import { type Instance, startInstance } from '../support/service.ts';
import { databaseEnv, enrol, type Session, signIn, storeTenant } from '../support/tenancy.ts';
import { one, other, own, store, useTwoInstances } from '../support/twoInstances.ts';
import { watch } from '../support/watch.ts';

const NOTICES = '/api/v1/Tenant/notices';
const URL = 'https://hooks.customer.example/secret-path';

interface Subscription {
  id: string;
  secret: string | null;
  types: string[];
  label: string;
  host: string | null;
  enabled: boolean;
  stoppedBy: string | null;
}

useTwoInstances('Pro');
let owner: Session;
beforeAll(async () => {
  owner = await signIn(store.redis, own.tenant);
});

const webhook = (more: object = {}) => ({
  kind: 'webhook',
  label: `hook ${randomUUID().slice(0, 8)}`,
  url: URL,
  ...more,
});
const create = (content: object, who = owner) => who.request<Subscription>(one.url, 'POST', NOTICES, content);
const read = (id: string) => owner.request<Subscription>(other.url, 'GET', `${NOTICES}/${id}`);
const put = (id: string, change: object) => owner.request<Subscription>(one.url, 'PUT', `${NOTICES}/${id}`, change);
const remove = (id: string) => owner.request(one.url, 'DELETE', `${NOTICES}/${id}`);
const list = async (who = owner) => (await who.request<Subscription[]>(other.url, 'GET', NOTICES)).body;

/** The text of a refusal. */
const textOf = async (refused: Promise<{ status: number; body: unknown }>) => {
  const { status, body } = await refused;
  expect(status).toBe(400);
  return body;
};
const fault = (content: object) => textOf(create(content));

describe('a subscription', () => {
  test('is made with defaults, and its secret is in that response alone', async () => {
    const { status, body } = await create({ kind: 'webhook', label: 'deployer', url: URL });
    expect(status).toBe(201);
    const { secret, ...rest } = body;
    expect(Buffer.from(secret?.replace('whsec_', '') ?? '', 'base64')).toHaveLength(32);
    expect(rest).toEqual({
      id: expect.any(String),
      kind: 'webhook',
      label: 'deployer',
      host: 'hooks.customer.example',
      channel: null,
      addresses: null,
      types: [...DEFAULT_TYPES.webhook],
      prefix: '',
      enabled: true,
      stoppedBy: null,
      createdBy: 'person:somebody@id.example',
      createdAt: expect.any(String),
      changedAt: expect.any(String),
      rotatedAt: null,
    });
    expect((await read(body.id)).body).toEqual(rest);
    expect(await list()).toEqual([rest]);
    await remove(body.id);
    expect((await read(body.id)).status).toBe(404);
    expect(await list()).toEqual([]);
  });

  test('has its URL and secret in no list, log or audit entry, and encrypted in the database', async () => {
    const { body } = await create(webhook());
    await put(body.id, { url: `${URL}-2`, prefix: 'lab/' });
    const rotated = await owner.request<Subscription>(one.url, 'POST', `${NOTICES}/${body.id}/rotate`);
    const rows = await store.database.run((db) => db.select().from(subscriptions));
    const trail = await store.database.run((db) => db.select().from(audit).where(eq(audit.tenantId, own.tenant)));
    const actions = trail.map(({ action }) => action).slice(-3);
    expect(actions).toEqual(['notice.create', 'notice.change', 'notice.rotate']);
    expect(trail.at(-2)).toMatchObject({ details: { host: 'hooks.customer.example', prefix: 'lab/' } });
    const seen = JSON.stringify([rows, trail, await list(), one.logged, other.logged]);
    for (const secret of ['secret-path', body.secret, rotated.body.secret]) expect(seen).not.toContain(secret);
    await remove(body.id);
  });

  test('is made once, however often a call with its id is repeated', async () => {
    const content = { ...webhook({ types: ['RESET', 'RESERVED'] }), id: randomUUID() };
    expect((await create(content)).body).toMatchObject({ types: ['RESERVED', 'RESET'] });
    expect(await create(content)).toMatchObject({ status: 200, body: { id: content.id, secret: null } });
    expect(await fault({ ...content, url: `${URL}-2` })).toBe('the id is in use');
    expect(await fault({ ...content, label: 'other' })).toBe('the id is in use');
    expect(await list()).toHaveLength(1);
    await remove(content.id);
  });

  test('changes by the fields that are given', async () => {
    const { body } = await create(webhook());
    const { body: changed } = await put(body.id, { types: ['*'], label: 'new' });
    expect(changed).toMatchObject({ types: ['*'], label: 'new', host: 'hooks.customer.example', enabled: true });
    expect((await put(body.id, { url: 'https://8.8.8.8:8443/' })).body).toMatchObject({
      host: '8.8.8.8:8443',
      label: 'new',
    });
    expect((await put(body.id, { enabled: false })).body).toMatchObject({ enabled: false, stoppedBy: null });
    expect((await put(body.id, {})).status).toBe(200);
    expect((await put(randomUUID(), { label: 'x' })).status).toBe(404);
    await remove(body.id);
  });

  test('has two secrets for 24 hours after a rotation, and only webhooks have any', async () => {
    const { body } = await create(webhook());
    const { body: rotated } = await owner.request<Subscription>(one.url, 'POST', `${NOTICES}/${body.id}/rotate`);
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(body.secret);
    const slack = await create({ kind: 'slack', label: 's', url: 'https://hooks.slack.com/services/T/B/x' });
    expect(slack.body.secret).toBeNull();
    const refused = await owner.request<Subscription>(one.url, 'POST', `${NOTICES}/${slack.body.id}/rotate`);
    expect(refused).toMatchObject({ status: 400, body: 'Only webhooks have a secret.' });
    await Promise.all([body.id, slack.body.id].map(remove));
  });
});

describe('a subscription is refused', () => {
  test('with an address that this service must not call', async () => {
    expect(await fault(webhook({ url: 'http://hooks.customer.example/' }))).toBe('url must be an https address');
    expect(await fault(webhook({ url: 'https://10.0.0.1/' }))).toBe('url must not be a private address');
    expect(await fault(webhook({ url: 'https://a:b@c.example/' }))).toBe('url must hold no credentials');
    expect(await fault({ kind: 'slack', label: 's', url: URL })).toBe('url must begin with https://hooks.slack.com/');
    const { body } = await create(webhook());
    expect(await textOf(put(body.id, { url: 'https://169.254.169.254/' }))).toContain('private');
    expect((await read(body.id)).body.host).toBe('hooks.customer.example');
    await remove(body.id);
  });

  test('without the fields of its kind, or with those of another', async () => {
    expect(await fault({ kind: 'webhook', label: 'x' })).toBe('url is required');
    expect(await fault({ kind: 'email', label: 'x' })).toBe('addresses is required');
    expect(await fault(webhook({ channel: '#lab' }))).toBe('channel is not a field of kind webhook');
    expect(await fault({ kind: 'slack', label: 'x', url: URL, channel: '#lab' })).toBe(
      'channel must be left out if there is a url',
    );
    expect(await fault(webhook({ types: ['*', 'RESET'] }))).toContain('types must be ["*"], or an array');
    expect(await fault(webhook({ types: [] }))).toContain('types must be');
    expect(await fault(webhook({ adresses: [] }))).toContain('did you mean addresses?');
    const { body } = await create(webhook());
    expect(await textOf(put(body.id, { addresses: ['ann@example.com'] }))).toContain('not a field of kind webhook');
    await remove(body.id);
  });

  test('by e-mail if the service sends none, and to a channel if the tenant has no Slack app', async () => {
    expect(await fault({ kind: 'email', label: 'x', addresses: ['ann@example.com'] })).toContain('sends no e-mail');
    expect(await fault({ kind: 'slack', label: 'x', channel: '#lab' })).toContain('needs a Slack app');
  });
});

describe('e-mail goes to verified addresses of members alone', () => {
  let mailing: Instance;
  beforeAll(async () => {
    const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'h@id.example', PUBLIC_URL: 'http://localhost:1' };
    mailing = await startInstance({ keys: [own], env: { ...databaseEnv(store.url), ...mail } });
    return () => mailing.stop();
  });
  const subscribe = (addresses: string[]) =>
    owner.request<Subscription>(mailing.url, 'POST', NOTICES, { kind: 'email', label: 'mail', addresses });

  test('in any letter case, and an address of another tenant is a stranger’s', async () => {
    const stranger = await storeTenant(store, 'Pro');
    const people = [
      { tenantId: own.tenant, email: 'Ann@Id.Example' },
      { tenantId: stranger.tenant, email: 'eve@id.example' },
    ];
    for (const { tenantId, email } of people) {
      const userId = randomUUID();
      await enrol(store, tenantId, 'viewer', userId);
      await store.database.run((db) => db.update(users).set({ email }).where(eq(users.id, userId)));
    }
    const { status, body } = await subscribe(['ann@ID.example', 'ANN@id.example']);
    expect([status, body]).toEqual([201, expect.objectContaining({ addresses: ['ann@id.example'], secret: null })]);
    const refused = await subscribe(['ann@id.example', 'eve@id.example']);
    expect(refused).toMatchObject({ status: 400, body: expect.stringContaining('eve@id.example is not') });
    await remove(body.id);
  });
});

describe('who may subscribe', () => {
  test('an owner and a management token with the scope settings; operators, keys and other scopes may not', async () => {
    const { token } = await makeToken(owner, one, ['settings']);
    const { body, status } = await one.request<Subscription>('POST', NOTICES, webhook(), bearer(token));
    expect(status).toBe(201);
    expect(body).toMatchObject({ createdBy: expect.stringMatching(/^token:/) });
    await remove(body.id);
    const { token: others } = await makeToken(owner, one, ['keys', 'audit', 'members']);
    expect((await one.request('POST', NOTICES, webhook(), bearer(others))).status).toBe(403);
    expect((await one.request('GET', NOTICES)).status).toBe(403);
    const operator = await signIn(store.redis, own.tenant, { role: 'operator' });
    expect((await create(webhook(), operator)).status).toBe(403);
    expect((await operator.request(one.url, 'GET', NOTICES)).status).toBe(403);
  });

  test('nobody sees, changes or deletes those of another tenant', async () => {
    const { body } = await create(webhook());
    const stranger = await signIn(store.redis, (await storeTenant(store)).tenant);
    expect(await list(stranger)).toEqual([]);
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
    ] as const) {
      const change = method === 'PUT' ? { label: 'mine' } : undefined;
      expect((await stranger.request(one.url, method, `${NOTICES}/${body.id}${path}`, change)).status).toBe(404);
    }
    expect((await read(body.id)).body).toMatchObject({ label: body.label });
    await remove(body.id);
  });

  test('a service without a database answers 503', async () => {
    const alone = await startInstance();
    expect(await alone.request('GET', NOTICES)).toMatchObject({ status: 503, body: { code: 'NOT_CONFIGURED' } });
    await alone.stop();
  });
});

describe('a tier allows a number of subscriptions', () => {
  test('more are refused, also to simultaneous calls, and streams get an event', async () => {
    const starter = await storeTenant(store, 'Starter');
    const session = await signIn(store.redis, starter.tenant);
    const subscriber = await watch({ url: other.url, key: starter.key });
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(webhook(), session)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({
      limitType: 'Notices',
      limit: 5,
      tier: 'Starter',
      upgradeRequired: true,
      retryAfter: 60,
    });
    expect((await subscriber.count(1))[0]).toMatchObject({
      type: 'TIER_LIMIT_REACHED',
      limitType: 'Notices',
      limit: 5,
    });
    subscriber.close();
    const { body } = await one.request<{ limits: object; usage: object }>('GET', '/api/v1/Tenant', undefined, {
      'X-Api-Key': starter.key,
    });
    expect(body).toMatchObject({ limits: { notices: 5 }, usage: { notices: 5 } });
  });

  test('after a downgrade the newest stop, and a disabled one takes no place', async () => {
    const tenant = await storeTenant(store, 'Pro');
    const session = await signIn(store.redis, tenant.tenant);
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await create(webhook(), session)).body.id);
    await store.database.run((db) => db.update(tenants).set({ tier: 'Free' }).where(eq(tenants.id, tenant.tenant)));
    expect((await list(session)).map(({ stoppedBy }) => stoppedBy)).toEqual([null, 'LIMIT', 'LIMIT']);
    await session.request(one.url, 'PUT', `${NOTICES}/${ids[0]}`, { enabled: false });
    expect((await list(session)).map(({ stoppedBy }) => stoppedBy)).toEqual([null, null, 'LIMIT']);
  });
});

test('a subscription whose KEY_SECRET is gone is not readable, until it gets its address and secret anew', async () => {
  const { body } = await create(webhook());
  const env = { ...databaseEnv(store.url), KEY_SECRET: 'another secret of 32 characters or more' };
  const changed = await startInstance({ keys: [own], env });
  const at = (method: string, path: string, content?: object) =>
    owner.request<Subscription>(changed.url, method, `${NOTICES}/${body.id}${path}`, content);
  expect((await at('GET', '')).body).toMatchObject({ stoppedBy: 'UNREADABLE', host: 'hooks.customer.example' });
  await at('PUT', '', { url: URL });
  expect((await at('POST', '/rotate')).body).toMatchObject({ stoppedBy: null });
  await changed.stop();
  await remove(body.id);
});
