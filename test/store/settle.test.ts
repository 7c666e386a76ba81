/**
 * Sessions follow the role that their person has in the database, in the order of its changes
 * (docs/specification.md#members).
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginSignIn, giveSignInsRole, readSignIn } from '../../src/engine/tenant/signIns.ts';
import { makeSession, parseSession, Sealer } from '../../src/identity/credentials.ts';
import { membershipsInDatabase } from '../../src/operations/members.ts';
import { createInvitation } from '../../src/store/invitations.ts';
import { changeRole } from '../../src/store/members.ts';
import { recordSignIn } from '../../src/store/signIns.ts';
import {
  BY,
  KEY_SECRET,
  KINDS,
  type OpenStore,
  openStore,
  somebodyWaits,
  storeTenant,
  type TestDatabase,
} from '../support/tenancy.ts';
import { until } from '../support/until.ts';

let made: TestDatabase;
let store: OpenStore;
beforeAll(async () => {
  made = await KINDS.Postgres();
  store = await openStore(made.url);
});
afterAll(async () => {
  await store.close();
  await made.drop();
});

test('a role that was read before a lower one was given is not written after it', async () => {
  const { tenant } = await storeTenant(store);
  const email = `${randomUUID()}@id.example`;
  const person = { issuer: 'https://id.example', subject: email, email, name: null, groups: [] };
  await createInvitation(store, tenant, { id: undefined, role: 'member', of: { email }, expiresInDays: 1 }, BY);
  const { userId: id } = await recordSignIn(store, person, '127.0.0.1', () => Promise.reject(new Error('a tenant')));
  const session = parseSession(makeSession(tenant));
  if (session === null) throw new Error('a session that was just made cannot be read');
  const user = { ...person, id, tenantName: tenant, joined: [], hasSeveral: false, describedUntilMs: 0 };
  await beginSignIn({ redis: store.redis }, session, { ...user, role: 'viewer' }, 60_000);
  const roleNow = async () => (await readSignIn({ redis: store.redis }, session))?.role;

  let isLowered = false;
  const lower = async () => {
    await changeRole(store, tenant, id, 'viewer', BY, (role) => giveSignInsRole(store, tenant, id, role));
    isLowered = true;
  };
  let lowered = Promise.resolve();
  const seen: unknown[] = [];
  // The client of an instance that has read the role member, and writes it to the session once the role is lowered, or
  // once lowering it waits.
  const redis = new Proxy(store.redis, {
    get: (client, name) => {
      const value: unknown = Reflect.get(client, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        if (name !== 'set') return Reflect.apply(value, client, args);
        lowered = lower();
        await until('the change, or that it waits', async () => isLowered || (await somebodyWaits(store.database)));
        const reply: unknown = await Reflect.apply(value, client, args);
        if (isLowered) seen.push(await roleNow());
        return reply;
      };
    },
  });
  await membershipsInDatabase({ engine: { redis }, store, sealer: new Sealer(KEY_SECRET) }).settle(user, tenant);
  await lowered;
  expect([isLowered, ...seen, await roleNow()]).toEqual([true, ...seen.map(() => 'viewer'), 'viewer']);
});
