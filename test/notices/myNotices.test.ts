/**
 * What members choose to be told (docs/specification.md#personal-notices).
 */
import { randomUUID } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { maskOf } from '../../src/domain/eventTypes.ts';
import { ROLES } from '../../src/domain/rights.ts';
import { removeMember } from '../../src/operations/members.ts';
import { chooseNotices, readMyNotices, tellTurnByEmail } from '../../src/operations/personalNotices.ts';
import { openSubscription, sealTarget } from '../../src/operations/sealedSubscriptions.ts';
import {
  isStillWanted,
  readUnsubscribeToken,
  unsubscribe,
  unsubscribeToken,
} from '../../src/operations/unsubscribe.ts';
import { tenantKey } from '../../src/redis/keys.ts';
import { readHot } from '../../src/redis/layouts.ts';
import { auditPage } from '../../src/store/audit.ts';
import { noticeChoices, slackLinks, subscriptions } from '../../src/store/noticesSchema.ts';
import { tenants } from '../../src/store/schema.ts';
import { readSubscriptions } from '../../src/store/subscriptions.ts';
import { deps, makeMember, type SignedIn, useNoticeStore } from '../support/noticeStore.ts';
import { storeTenant } from '../support/tenancy.ts';

useNoticeStore();

const NOTHING = { TURN: [], BEGINS: [], ENDS_SOON: [], WANTED: [], TAKEN: [] };
const choicesOf = async ({ credential, userId }: SignedIn) =>
  (await readMyNotices(deps, credential.tenant, userId)).choices;
const choose = async (who: SignedIn, change: Parameters<typeof chooseNotices>[3]) =>
  (await chooseNotices(deps, who, who.userId, change)).result;
const newTenant = async () => (await storeTenant(deps.store)).tenant;
const link = (tenantId: string, { userId }: SignedIn) =>
  deps.store.database.run((db) =>
    db.insert(slackLinks).values({ tenantId, userId, teamId: 'T1', slackUserId: `U${userId}` }),
  );
const auditOf = async (tenant: string) =>
  (await auditPage(deps.store.database, { tenant, action: 'notices.choose' }, undefined, 100)).map(
    ({ actor, details }) => ({ actor, details }),
  );

describe('what a member is told', () => {
  test('is nothing until they choose it, in each tenant anew', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const ann = await makeMember(tenant);
    const there = await makeMember(other, 'member', { id: ann.userId });
    expect(await choicesOf(ann)).toEqual(NOTHING);
    expect(await choose(ann, { TURN: ['email', 'browser'] })).toEqual({ ...NOTHING, TURN: ['email', 'browser'] });
    expect(await choicesOf(ann)).toEqual({ ...NOTHING, TURN: ['email', 'browser'] });
    expect(await choicesOf(there)).toEqual(NOTHING);
  });

  test('is their own choice, whatever their role', async () => {
    const tenant = await newTenant();
    for (const role of ROLES) {
      const who = await makeMember(tenant, role);
      expect(await choose(who, { WANTED: ['email'] })).toEqual({ ...NOTHING, WANTED: ['email'] });
    }
  });

  test('changes by notice: those that are not given stay', async () => {
    const ann = await makeMember(await newTenant());
    await choose(ann, { TURN: ['email'], TAKEN: ['browser'] });
    expect(await choose(ann, { TAKEN: [] })).toEqual({ ...NOTHING, TURN: ['email'] });
    const { result } = await tellTurnByEmail(deps, ann, ann.userId);
    expect(result).toEqual({ ...NOTHING, TURN: ['email'] });
  });

  test('costs a write, and is in the audit trail', async () => {
    const tenant = await newTenant();
    const ann = await makeMember(tenant);
    const { quota } = await tellTurnByEmail(deps, ann, ann.userId);
    expect(quota.length).toBeGreaterThan(0);
    expect(await auditOf(tenant)).toEqual([{ actor: ann.actor, details: { ...NOTHING, TURN: ['email'] } }]);
  });

  test('goes by channels only that reach them', async () => {
    const tenant = await newTenant();
    const ann = await makeMember(tenant, 'viewer', { email: null });
    await expect(choose(ann, { TURN: ['email'] })).rejects.toThrow('has not verified an e-mail address');
    await expect(choose(ann, { TURN: ['slack'] })).rejects.toThrow('Slack is not linked');
    expect(await choicesOf(ann)).toEqual(NOTHING);
    const { faults, email } = await readMyNotices({ ...deps, hasMail: false }, tenant, ann.userId);
    expect(email).toBeNull();
    expect(faults).toMatchObject({ email: expect.stringContaining('sends no e-mail'), browser: null });
    await link(tenant, ann);
    expect(await choose(ann, { TURN: ['slack'] })).toEqual({ ...NOTHING, TURN: ['slack'] });
  });

  test('stays as chosen if a channel is lost meanwhile', async () => {
    const tenant = await newTenant();
    const ann = await makeMember(tenant);
    await link(tenant, ann);
    await choose(ann, { TURN: ['slack'] });
    await deps.store.database.run((db) => db.delete(slackLinks).where(eq(slackLinks.userId, ann.userId)));
    expect(await choose(ann, { WANTED: ['browser'] })).toEqual({ ...NOTHING, TURN: ['slack'], WANTED: ['browser'] });
  });

  test('is what the outbox of the tenant takes for persons, besides what pages show themselves', async () => {
    const tenant = await newTenant();
    const ann = await makeMember(tenant);
    const box = async () => readHot(await deps.store.redis.hgetBuffer(tenantKey(tenant), 'hot')).box;
    await choose(ann, { TURN: ['browser'] });
    expect(await box()).toBeNull();
    await choose(ann, { TURN: ['email'], WANTED: ['email'] });
    expect(await box()).toMatchObject({ types: 0, personTypes: maskOf(['RESERVED', 'WANTED']) });
    await choose(ann, { TURN: [], WANTED: [] });
    expect(await box()).toBeNull();
  });

  test('ends with the membership, also of somebody who comes back', async () => {
    const tenant = await newTenant();
    const owner = await makeMember(tenant, 'owner');
    const ann = await makeMember(tenant);
    await choose(ann, { TURN: ['email'] });
    await removeMember(deps, owner, ann.userId);
    const back = await makeMember(tenant, 'member', { id: ann.userId });
    expect(await choicesOf(back)).toEqual(NOTHING);
    await removeMember(deps, owner, ann.userId);
    await expect(choose(ann, { TURN: ['email'] })).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(readHot(await deps.store.redis.hgetBuffer(tenantKey(tenant), 'hot')).box).toBeNull();
    const rows = await deps.store.database.run((db) =>
      db
        .select()
        .from(noticeChoices)
        .where(and(eq(noticeChoices.tenantId, tenant), eq(noticeChoices.userId, ann.userId))),
    );
    expect(rows).toEqual([]);
  });
});

describe('unsubscribing by the link of a message', () => {
  const tokenOf = (...of: SignedIn[]) =>
    unsubscribeToken(deps.sealer, {
      address: of[0]?.email ?? '',
      sources: of.map(({ credential, userId }) => ({ tenant: credential.tenant, userId, notice: 'TURN' as const })),
    });

  test('ends the e-mail of that tenant, and nothing else, without sign-in', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const ann = await makeMember(tenant);
    const there = await makeMember(other, 'member', { id: ann.userId });
    const bob = await makeMember(tenant);
    for (const who of [ann, there, bob]) await choose(who, { TURN: ['email', 'browser'], WANTED: ['email'] });
    const token = await tokenOf(ann);
    expect(await readUnsubscribeToken(deps, token)).toMatchObject({ address: ann.email });
    expect(await choicesOf(ann)).toMatchObject({ TURN: ['email', 'browser'] });
    await unsubscribe(deps, token, '127.0.0.1');
    expect(await choicesOf(ann)).toEqual({ ...NOTHING, TURN: ['browser'] });
    for (const who of [there, bob]) expect(await choicesOf(who)).toMatchObject({ TURN: ['email', 'browser'] });
    expect((await auditOf(tenant))[0]).toEqual({ actor: ann.actor, details: { ...NOTHING, TURN: ['browser'] } });
  });

  test('does nothing more if it is repeated', async () => {
    const tenant = await newTenant();
    const ann = await makeMember(tenant);
    await choose(ann, { TURN: ['email'] });
    const token = await tokenOf(ann);
    await unsubscribe(deps, token, '127.0.0.1');
    const versionOf = async () =>
      (await deps.store.database.run((db) => db.select().from(tenants).where(eq(tenants.id, tenant))))[0]?.version;
    const version = await versionOf();
    await unsubscribe(deps, token, '127.0.0.1');
    expect(await versionOf()).toBe(version);
  });

  test('ends that of every tenant that a message is about', async () => {
    const ann = await makeMember(await newTenant());
    const there = await makeMember(await newTenant(), 'member', { id: ann.userId });
    for (const who of [ann, there]) await choose(who, { TAKEN: ['email'] });
    await unsubscribe(deps, await tokenOf(ann, there), '127.0.0.1');
    for (const who of [ann, there]) expect(await choicesOf(who)).toEqual(NOTHING);
  });

  const makeSubscription = async (tenant: string, ...addresses: string[]) => {
    const { target, host } = await sealTarget(deps.sealer, { addresses });
    const id = randomUUID();
    const row = { id, kind: 'email', label: 'on call', types: ['*'], prefix: '', enabled: true } as const;
    await deps.store.database.run((db) =>
      db.insert(subscriptions).values({ ...row, types: ['*'], tenantId: tenant, target, host, createdBy: 'x' }),
    );
    return { tenant, subscription: id };
  };
  const addressesOf = async ({ tenant }: { readonly tenant: string }) => {
    const of = await readSubscriptions(deps.store, tenant);
    const [row] = of?.rows ?? [];
    const opened = row && (await openSubscription(deps.sealer, tenant, row));
    return { enabled: row?.enabled, target: opened?.target };
  };

  test('takes the address out of a subscription, which ends with the last one', async () => {
    const tenant = await newTenant();
    const [ann, bob] = [await makeMember(tenant), await makeMember(tenant)];
    const [address = '', other = ''] = [ann.email ?? '', bob.email ?? ''];
    const source = await makeSubscription(tenant, address, other);
    expect(await isStillWanted(deps, address.toUpperCase(), source)).toBe(true);
    const end = async (who: string) =>
      unsubscribe(deps, await unsubscribeToken(deps.sealer, { address: who, sources: [source] }), '127.0.0.1');
    await end(address);
    expect(await addressesOf(source)).toEqual({ enabled: true, target: { addresses: [other] } });
    expect(await isStillWanted(deps, address, source)).toBe(false);
    expect(await isStillWanted(deps, other, source)).toBe(true);
    await end(other);
    expect(await addressesOf(source)).toEqual({ enabled: false, target: { addresses: [] } });
  });

  test('loses none of two that unsubscribe at the same time', async () => {
    const tenant = await newTenant();
    const addresses = ['a@id.example', 'b@id.example', 'c@id.example'];
    const source = await makeSubscription(tenant, ...addresses);
    const tokens = await Promise.all(
      addresses.slice(0, 2).map((address) => unsubscribeToken(deps.sealer, { address, sources: [source] })),
    );
    await Promise.all(tokens.map((token) => unsubscribe(deps, token, '127.0.0.1')));
    expect(await addressesOf(source)).toEqual({ enabled: true, target: { addresses: ['c@id.example'] } });
  });

  test('ends messages that wait for a digest', async () => {
    const ann = await makeMember(await newTenant());
    const source = { tenant: ann.credential.tenant, userId: ann.userId, notice: 'TURN' } as const;
    const [address = ''] = [ann.email ?? ''];
    expect(await isStillWanted(deps, address, source)).toBe(false);
    await choose(ann, { TURN: ['email'] });
    expect(await isStillWanted(deps, address, source)).toBe(true);
    expect(await isStillWanted(deps, 'other@id.example', source)).toBe(false);
    await unsubscribe(deps, await tokenOf(ann), '127.0.0.1');
    expect(await isStillWanted(deps, address, source)).toBe(false);
  });

  test('takes no other text that is encrypted with the secret', async () => {
    for (const text of ['hf_acme_0123456789', '{"address":"a@b.example"}', '[]'])
      await expect(unsubscribe(deps, await deps.sealer.seal(text), '127.0.0.1')).rejects.toMatchObject({
        code: 'unknown',
      });
    await expect(unsubscribe(deps, 'x', '127.0.0.1')).rejects.toMatchObject({ code: 'unknown' });
  });
});
