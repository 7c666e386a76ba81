/**
 * Operations without HTTP before them, on a database of their own. `useNoticeStore` starts and stops what they need.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, inject } from 'vitest';
import { startRedis } from '../../scripts/redisServer.ts';
import type { Role } from '../../src/domain/rights.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { Activity } from '../../src/engine/tenant/activity.ts';
import { beginSignIn, requesterOf, type SessionUser } from '../../src/engine/tenant/signIns.ts';
import { makeSession, parseSession, Sealer } from '../../src/identity/credentials.ts';
import { publicKeyOf } from '../../src/identity/vapidKey.ts';
import type { Actor } from '../../src/operations/permissions.ts';
import type { Rules } from '../../src/outgoing/addresses.ts';
import { members, users } from '../../src/store/schema.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { STEERED_CLOCK } from './clock.ts';
import { engineOn, KEY_SECRET, makeStore, type OpenStore, OWNER } from './tenancy.ts';

const privateKey = Buffer.alloc(32, 7).toString('base64');
/** The keys for pushes. */
export const VAPID = { privateKey, publicKey: publicKeyOf(privateKey) };
/** Push services of tests are on this machine. */
export const RULES = { allowPrivate: true, allowHttp: true };

export interface NoticeDeps {
  readonly store: OpenStore;
  readonly engine: Engine;
  readonly activity: Activity;
  readonly sealer: Sealer;
  readonly hasMail: boolean;
  readonly pushKey: string | null;
  readonly webhookRules: Rules;
  /** As for DATABASE_URL. */
  readonly databaseUrl: string;
}

export let deps: NoticeDeps;

/** Their Redis. */
export let redisUrl: string;

/**
 * To be called at the top of a test file.
 * @param hasOwnRedis true: workers of other test files take none of its jobs
 */
export function useNoticeStore(hasOwnRedis = false): void {
  let own: { readonly url: string; stop(): Promise<unknown> } | null = null;
  beforeAll(async () => {
    own = hasOwnRedis ? await startRedis(() => {}) : null;
    redisUrl = own?.url ?? inject('redisUrl');
    const store = await makeStore({ redisUrl });
    const { engine } = engineOn(store, { 'frame/now': STEERED_CLOCK });
    const activity = new Activity(store.redis, createLogger('silent'));
    const reach = { hasMail: true, pushKey: VAPID.publicKey, webhookRules: RULES };
    deps = { ...{ store, engine, activity, sealer: new Sealer(KEY_SECRET) }, ...reach, databaseUrl: store.url };
  });
  afterAll(async () => {
    await deps.activity.close();
    await deps.store.close();
    await own?.stop();
  });
}

/** A member who is signed in. */
export interface SignedIn extends Actor {
  readonly userId: string;
  /** null: the provider has verified none */
  readonly email: string | null;
  /** What they reserve with on the dashboard. */
  readonly requester: string;
}

/** Makes a member of a tenant, who is signed in. */
export async function makeMember(
  tenant: string,
  role: Role = 'member',
  who: Partial<Pick<SessionUser, 'id' | 'email' | 'name'>> = {},
): Promise<SignedIn> {
  const { id = randomUUID(), email = `${id}@id.example`, name = null } = who;
  const user: SessionUser = { ...OWNER, id, email, name, subject: id, role };
  await deps.store.database.transaction(async (tx) => {
    await tx.insert(users).values({ id, issuer: user.issuer, subject: id, email, name }).onConflictDoNothing();
    await tx.insert(members).values({ tenantId: tenant, userId: id, role });
  });
  const credential = parseSession(makeSession(tenant));
  if (credential === null) throw new Error('a session that was just made cannot be read');
  await beginSignIn(deps.engine, credential, user, 600_000);
  const actor = `person:${email ?? id}`;
  return { credential, userId: id, actor, address: '127.0.0.1', email, requester: requesterOf(user) };
}
