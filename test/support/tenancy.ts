/**
 * Tenants in a database, and people who have signed in, as tests need them.
 */

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { inject } from 'vitest';
import { changeInDatabase } from '../../src/definitions/changeInDatabase.ts';
import { WorkingCopy } from '../../src/definitions/workingCopy.ts';
import type { Known } from '../../src/domain/memberships.ts';
import type { Role } from '../../src/domain/rights.ts';
import type { Credential } from '../../src/domain/tenants.ts';
import { DEFAULT_TIERS, type Tier } from '../../src/domain/tiers.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { beginSignIn, type SessionUser } from '../../src/engine/tenant/signIns.ts';
import type { ConfiguredKey } from '../../src/identity/configured.ts';
import { digestOf, makeKey, makeSession, parseSession, Sealer } from '../../src/identity/credentials.ts';
import { createRedis, type RedisClient } from '../../src/redis/client.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { Database } from '../../src/store/database.ts';
import { createInvitation } from '../../src/store/invitations.ts';
import type { Store } from '../../src/store/records.ts';
import { members, users } from '../../src/store/schema.ts';
import { recordSignIn } from '../../src/store/signIns.ts';
import { insertTenant } from '../../src/store/tenants.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import type { Answer } from './client.ts';
import { makeDatabase } from './database.ts';
import { makeTenant } from './service.ts';
import { store } from './twoInstances.ts';

export const KEY_SECRET = 'the secret of the tests, 32 characters or more';

/** A database of either kind that is nobody else's, as for DATABASE_URL. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

let pgliteMade: Promise<string> | undefined;

/** Makes the folder that each PGlite of this worker is a copy of: making one takes 4 s of CPU. */
async function makePglite(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, 'data');
  await (await Database.open(`pglite:${data}`, 1, createLogger('silent'))).close();
  return data;
}

export const KINDS = {
  Postgres: makeDatabase,
  PGlite: async (): Promise<TestDatabase> => {
    pgliteMade ??= makePglite();
    const [made, folder] = await Promise.all([pgliteMade, mkdtemp(join(tmpdir(), 'holdfast-test-'))]);
    await cp(made, join(folder, 'data'), { recursive: true });
    return { url: `pglite:${join(folder, 'data')}`, drop: () => rm(folder, { recursive: true, force: true }) };
  },
};

/** The environment of an instance with a database. */
export const databaseEnv = (url: string) => ({ DATABASE_URL: url, KEY_SECRET, JWKS_ALLOW_PRIVATE: 'true' });

export interface OpenStore extends Store {
  close(): Promise<void>;
}

/** Opens a database without an instance before it. A PGlite takes one opener at a time. */
export async function openStore(url: string, redisUrl = inject('redisUrl')): Promise<OpenStore> {
  const database = await Database.open(url, 5, createLogger('silent'));
  const redis = createRedis(redisUrl, () => {});
  return {
    database,
    redis,
    close: async () => {
      redis.disconnect();
      await database.close();
    },
  };
}

/** An open database that is nobody else's: close() drops it, too. */
export interface OwnStore extends OpenStore {
  readonly url: string;
}

/** Makes a database, on PostgreSQL if no other is wanted, and opens it. */
export async function makeStore({ make = makeDatabase, redisUrl = inject('redisUrl') } = {}): Promise<OwnStore> {
  const { url, drop } = await make();
  const store = await openStore(url, redisUrl);
  return { ...store, url, close: () => store.close().then(drop) };
}

/**
 * Returns the engine of an instance with a database, and what changes definitions there.
 * @param includes stand-ins for modules of lua/, by name
 */
export function engineOn({ database, redis }: Store, includes: Readonly<Record<string, string>> = {}) {
  defineScripts(redis, loadScripts(DEFAULT_TIERS, includes));
  const copy = new WorkingCopy(database, { redis, tiers: DEFAULT_TIERS });
  const engine: Engine = { redis, tiers: DEFAULT_TIERS, loadTenant: (id) => copy.refresh(id) };
  return { engine, copy, changes: changeInDatabase(database, engine, copy) };
}

/** Makes a tenant; gives its id and default key. */
export async function storeTenant(store: Store, tier: Tier = 'Enterprise', id = makeTenant()): Promise<ConfiguredKey> {
  const key = makeKey(id);
  const sealed = await new Sealer(KEY_SECRET).seal(key);
  const row = { id, name: `Tenant ${id}`, tier, key: { digest: digestOf(key), sealed, label: null } };
  await store.database.transaction((tx) => insertTenant(tx, row, { actor: `person:user of ${id}`, address: null }));
  return { key, tenant: id, tier };
}

/** Somebody who may change every role, and invite. */
export const BY = { actor: 'person:owner@id.example', address: null, maker: null, refuse: () => {} };

/** Returns true if a connection to the database waits for a lock. */
export async function somebodyWaits(database: Database): Promise<boolean> {
  const text = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return JSON.stringify(await database.run((db) => db.execute(text))).includes('1');
}

export interface Session {
  readonly cookie: string;
  /** Asks an instance, as a page of its own would. */
  request<Body>(url: string, method: string, path: string, body?: unknown): Promise<Answer<Body>>;
}

/** Makes a member of somebody with an id, so that the database knows who uses a session that `signIn` makes. */
export async function enrol({ database }: Store, tenantId: string, role: Role, userId = OWNER.id): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.insert(users).values({ id: userId, issuer: OWNER.issuer, subject: userId }).onConflictDoNothing();
    await tx.insert(members).values({ tenantId, userId, role });
  });
}

/** Signs an operator in; returns the credential, for calls without HTTP. */
export async function operatorOf(redis: RedisClient, tenant: string): Promise<Credential> {
  const credential = parseSession(makeSession(tenant));
  if (credential === null) throw new Error('a session that was just made cannot be read');
  await beginSignIn({ redis }, credential, { ...OWNER, role: 'operator' }, 600_000);
  return credential;
}

/** Signs somebody in. */
export async function signIn(redis: RedisClient, tenant: string, user: Partial<SessionUser> = {}): Promise<Session> {
  const session = makeSession(tenant);
  const credential = parseSession(session);
  if (credential === null) throw new Error('a session that was just made cannot be read');
  await beginSignIn({ redis }, credential, { ...OWNER, ...user }, 600_000);
  const cookie = `holdfast_session=${session}`;
  return {
    cookie,
    request: async (url, method, path, body) => {
      const response = await fetch(url + path, {
        method,
        headers: { Cookie: cookie, Origin: url, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    },
  };
}

/** An owner of a tenant, as a sign-in session has them. */

export const OWNER: SessionUser = {
  id: '7b0d9c51-6f0b-4a83-9a3f-2f6f0d2a4a11',
  issuer: 'https://id.example',
  subject: 'somebody',
  email: 'somebody@id.example',
  name: null,
  role: 'owner',
  tenantName: 'Test Lab',
  groups: [],
  joined: [],
  hasSeveral: false,
  describedUntilMs: Number.MAX_SAFE_INTEGER,
};

/**
 * Members of tenants, as tests need them, on the database of `useTwoInstances`.
 */

export interface Person extends Session {
  readonly id: string;
  readonly known: Known;
  begin(): Promise<Session>;
}

/** Makes somebody a member, and signs them in. */
export async function member(tenant: string, role: Role): Promise<Person> {
  const subject = randomUUID();
  const person = { issuer: 'https://id.example', subject, email: `${subject}@id.example`, name: null, groups: ['lab'] };
  await createInvitation(store, tenant, { id: undefined, role, of: { email: person.email }, expiresInDays: 1 }, BY);
  const { userId: id } = await recordSignIn(store, person, '127.0.0.1', () => Promise.reject(new Error('a tenant')));
  const begin = () => signIn(store.redis, tenant, { ...person, id, role });
  return { ...(await begin()), id, known: { ...person, id }, begin };
}

/** Makes a tenant with an owner. */
export async function team() {
  const { tenant, key } = await storeTenant(store);
  return { tenant, key, owner: await member(tenant, 'owner') };
}
