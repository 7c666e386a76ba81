/**
 * A database that the release before has filled: its migrations end at BEFORE, and it knows no members
 * (docs/specification.md#members, #store-modes-and-start). This release migrates it and serves its tenants.
 */
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { desc, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Person } from '../../src/domain/memberships.ts';
import { digestOf, makeKey } from '../../src/identity/credentials.ts';
import { Sealer } from '../../src/identity/sealer.ts';
import { auditPage } from '../../src/store/audit.ts';
import { listIssuers } from '../../src/store/issuers.ts';
import { listKeys, type NewKey } from '../../src/store/keys.ts';
import { listMembers } from '../../src/store/members.ts';
import { apiKeys } from '../../src/store/schema.ts';
import { recordSignIn } from '../../src/store/signIns.ts';
import { deleteTenant, readTenant } from '../../src/store/tenants.ts';
import { createClient } from '../support/client.ts';
import { type Instance, makeTenant, startInstance } from '../support/service.ts';
import { databaseEnv, KEY_SECRET, KINDS, type OpenStore, openStore, type TestDatabase } from '../support/tenancy.ts';

/** The last migration of the release before. */
const BEFORE = '0003_groupsAndLabels';
const Journal = z.looseObject({ entries: z.array(z.looseObject({ tag: z.string() })) });

/** Makes the schema as the release before does. */
async function migrateToBefore(url: string): Promise<void> {
  const migrationsFolder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  await cp('drizzle', migrationsFolder, { recursive: true });
  const path = join(migrationsFolder, 'meta/_journal.json');
  const journal = Journal.parse(JSON.parse(await readFile(path, 'utf8')));
  const entries = journal.entries.slice(0, journal.entries.findIndex(({ tag }) => tag === BEFORE) + 1);
  await writeFile(path, JSON.stringify({ ...journal, entries }));
  // Drizzle changes how its connection writes JSON, so it gets one of its own.
  const connection = postgres(url, { max: 1, onnotice: () => {} });
  await migrate(drizzle(connection), { migrationsFolder }).finally(() => connection.end());
  await rm(migrationsFolder, { recursive: true });
}

/** A tenant of the release before, and its first user. */
class OldTenant {
  readonly id = makeTenant();
  readonly keys = { unlabelled: makeKey(this.id), labelled: makeKey(this.id) };
  readonly person: Person;
  readonly settings: { readonly require_registration?: boolean; readonly max_priority?: number };

  constructor(email: string | null, settings: OldTenant['settings'] = {}) {
    this.person = { issuer: 'https://id.example', subject: randomUUID(), email, name: null, groups: [] };
    this.settings = settings;
  }

  /** The user as the release before names them in the audit trail. */
  get actor(): string {
    return `user:${this.person.email ?? this.person.subject}`;
  }

  get audience(): string {
    return `app of ${this.id}`;
  }

  /** Inserts rows into every table that the release before has. */
  async insert(sql: postgres.Sql): Promise<void> {
    const { id: tenant_id, keys, person } = this;
    const { issuer, subject, email, name } = person;
    const sealer = new Sealer(KEY_SECRET);
    const row = async (key: string) => ({ tenant_id, digest: digestOf(key), sealed: await sealer.seal(key) });
    const rows = [
      { ...(await row(keys.unlabelled)), label: null, is_default: true },
      { ...(await row(keys.labelled)), label: 'worker', is_default: false },
    ];
    const tenant = { id: tenant_id, name: `Tenant ${tenant_id}`, tier: 'Pro', ...this.settings };
    await sql`insert into tenants ${sql(tenant)}`;
    await sql`insert into users ${sql({ tenant_id, issuer, subject, email, name })}`;
    await sql`insert into api_keys ${sql(rows)}`;
    const trusted = { tenant_id, issuer, audience: this.audience, jwks_url: 'https://id.example/jwks' };
    await sql`insert into jwt_issuers ${sql(trusted)}`;
    const definition = { tenant_id, capacity: 1, blocks: [], parent: null, is_group: false, labels: sql.json({}) };
    await sql`insert into definitions ${sql([
      { ...definition, name: 'house', is_group: true },
      {
        ...definition,
        name: 'printers',
        capacity: 3,
        blocks: ['ink'],
        parent: 'house',
        labels: sql.json({ dpi: '600' }),
      },
    ])}`;
    const actors = [this.actor, 'admin:root@id.example', 'key:worker', 'key:user:worker', 'key'];
    for (const actor of actors)
      await sql`insert into audit ${sql({ tenant_id, actor, action: 'tenant.create', details: sql.json({ tier: 'Pro' }) })}`;
  }
}

const plain = new OldTenant('ann@id.example');
const changed = new OldTenant(null, { require_registration: true, max_priority: 7 });
const both = [plain, changed];
/** One that is deleted after the migration. */
const gone = new OldTenant('gone@id.example');
const BY = { actor: 'admin:root@id.example', address: null };

let made: TestDatabase;
let sql: postgres.Sql;
let store: OpenStore;
let one: Instance;
beforeAll(async () => {
  made = await KINDS.Postgres();
  await migrateToBefore(made.url);
  sql = postgres(made.url, { max: 1 });
  for (const tenant of [...both, gone]) await tenant.insert(sql);
  store = await openStore(made.url);
  one = await startInstance({ keys: [], env: databaseEnv(made.url) });
});
afterAll(async () => {
  await one.stop();
  await store.close();
  await sql.end();
  await made.drop();
});

const enter = (person: Person, newKey: (tenant: string) => Promise<NewKey>) =>
  recordSignIn(store, person, '127.0.0.1', newKey);
/** Signs somebody in who has a tenant. */
const enterOwn = (person: Person) => enter(person, () => Promise.reject(new Error('a second tenant')));
const actorsOf = async (tenant: string) =>
  (await auditPage(store.database, { tenant }, undefined, 100)).map(({ actor }) => actor);

describe('what the release before has stored', () => {
  test('has users, who become the owners of their tenants', async () => {
    for (const { id, person } of both) {
      const all = await listMembers(store, id, undefined, 100);
      expect(all).toMatchObject([
        { subject: person.subject, email: person.email, givenRole: 'owner', groupRole: null },
      ]);
    }
  });

  test('has keys, which stay unrestricted and can be shown again', async () => {
    const free = { permission: 'full', prefix: '', expiresAt: null };
    for (const { id, keys } of both) {
      const listed = await listKeys(store, id);
      expect(listed).toMatchObject([
        { digest: digestOf(keys.unlabelled), label: null, isDefault: true, ...free },
        { digest: digestOf(keys.labelled), label: 'worker', isDefault: false, ...free },
      ]);
      const sealed = await store.database.run((db) =>
        db
          .select({ sealed: apiKeys.sealed })
          .from(apiKeys)
          .where(eq(apiKeys.tenantId, id))
          .orderBy(desc(apiKeys.isDefault)),
      );
      expect(await Promise.all(sealed.map((key) => new Sealer(KEY_SECRET).open(key.sealed)))).toEqual([
        keys.unlabelled,
        keys.labelled,
      ]);
    }
  });

  test('has settings, which stay; the new ones are off', async () => {
    const rest = { tier: 'Pro', suspendedAt: null, defaultTtlSeconds: null, maxTtlSeconds: null, requireNote: false };
    expect(await readTenant(store, plain.id)).toMatchObject({ requireRegistration: false, maxPriority: 100, ...rest });
    expect(await readTenant(store, changed.id)).toMatchObject({ requireRegistration: true, maxPriority: 7, ...rest });
  });

  test('has issuers, which stay', async () => {
    for (const { id, audience, person } of both)
      expect(await listIssuers(store, id)).toEqual([
        { issuer: person.issuer, audience, jwksUrl: 'https://id.example/jwks' },
      ]);
  });

  test('has an audit trail, in which users are now persons, and the other actors stay', async () => {
    const others = ['key', 'key:user:worker', 'key:worker', 'admin:root@id.example'];
    expect(await actorsOf(plain.id)).toEqual([...others, 'person:ann@id.example']);
    expect(await actorsOf(changed.id)).toEqual([...others, `person:${changed.person.subject}`]);
    const [entry] = await auditPage(store.database, { actor: 'person:ann@id.example' }, undefined, 100);
    expect(entry).toMatchObject({ tenantId: plain.id, address: null, details: { tier: 'Pro' } });
  });
});

describe('a tenant of the release before', () => {
  test('reserves with each of its keys, by its definitions and settings', async () => {
    for (const { id, keys } of both)
      for (const [index, key] of [keys.unlabelled, keys.labelled].entries()) {
        const { reserve } = createClient(one.url, key);
        const { status, body } = await reserve({ resource: 'printers', requester: `${id} ${index}` });
        expect([status, body]).toMatchObject([200, [{ status: 'ACQUIRED' }]]);
      }
    const unregistered = { resource: 'desk', requester: 'somebody' };
    const statuses = both.map(async ({ keys }) => {
      const { body } = await createClient(one.url, keys.unlabelled).reserve(unregistered);
      return body[0]?.status;
    });
    expect(await Promise.all(statuses)).toEqual(['ACQUIRED', 'NOT_VALID']);
    const { body } = await createClient(one.url, plain.keys.labelled).definitions();
    expect(body).toMatchObject([
      { name: 'house', capacity: null, treePath: null, group: true },
      { name: 'printers', capacity: 3, blocks: ['ink'], treePath: 'house', labels: { dpi: '600' } },
    ]);
  });

  test('is what the sign-in of its user opens, as its owner', async () => {
    for (const { id, person } of both) {
      const { open, memberships, changed } = await enterOwn(person);
      expect([open, memberships, changed]).toEqual([{ tenant: id, name: `Tenant ${id}`, role: 'owner' }, [open], []]);
    }
  });

  test('leaves its audit trail and its user, who gets a new one, when it is deleted', async () => {
    const before = await actorsOf(gone.id);
    await deleteTenant(store, gone.id, BY);
    expect(before).toHaveLength(5);
    expect(await actorsOf(gone.id)).toEqual([BY.actor, ...before]);
    const newKey = async (tenant: string) => ({ digest: digestOf(makeKey(tenant)), sealed: '', label: null });
    const { open, memberships } = await enter(gone.person, newKey);
    expect([open.tenant === gone.id, open.role, memberships]).toEqual([false, 'owner', [open]]);
  });
});
