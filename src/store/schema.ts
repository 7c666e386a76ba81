/**
 * The tables of the database, the same in Postgres and in PGlite (docs/specification.md#identity,
 * #store-modes-and-start). Times are UTC. `npx drizzle-kit generate` writes the migrations in drizzle/ from this file.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { TIERS } from '../domain/tiers.ts';
import { MAX_PRIORITY } from '../domain/waiting.ts';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const version = (name: string) => bigint(name, { mode: 'number' }).notNull().default(1);

export const tier = pgEnum('tier', TIERS);

export const tenants = pgTable(
  'tenants',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    tier: tier('tier').notNull(),
    suspendedAt: time('suspended_at'),
    /** A setting: whether only registered resources may be reserved. */
    requireRegistration: boolean('require_registration').notNull().default(false),
    /** A setting: the highest priority that requests with keys and sessions may wait with. */
    maxPriority: integer('max_priority').notNull().default(MAX_PRIORITY),
    /** Grows with each change of the tenant's tier, suspension, settings or keys, which Redis has a copy of. */
    version: version('version'),
    /** Grows with each change of the tenant's definitions. */
    definitionsVersion: version('definitions_version'),
    createdAt: time('created_at').notNull().defaultNow(),
    /** When one of the versions last grew. */
    changedAt: time('changed_at').notNull().defaultNow(),
  },
  (table) => [index('tenants_changed_at').on(table.changedAt)],
);

const ofTenant = () =>
  text('tenant_id')
    .notNull()
    .references(() => tenants.id, { onDelete: 'cascade' });

/** People who have signed in. */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    tenantId: ofTenant(),
    /** The identity provider. Issuer and subject together identify a person. */
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    email: text('email'),
    name: text('name'),
    createdAt: time('created_at').notNull().defaultNow(),
    signedInAt: time('signed_in_at').notNull().defaultNow(),
  },
  (table) => [unique('users_identity').on(table.issuer, table.subject), index('users_tenant').on(table.tenantId)],
);

export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    tenantId: ofTenant(),
    /** SHA-256 of the key, hexadecimal. */
    digest: text('digest').notNull().unique('api_keys_digest'),
    /** The key, as a JWE encrypted with the configured secret. */
    sealed: text('sealed').notNull(),
    label: text('label'),
    isDefault: boolean('is_default').notNull().default(false),
    createdAt: time('created_at').notNull().defaultNow(),
    rotatedAt: time('rotated_at'),
  },
  (table) => [
    index('api_keys_tenant').on(table.tenantId),
    uniqueIndex('api_keys_default').on(table.tenantId).where(sql`${table.isDefault}`),
  ],
);

/** Issuers of JWTs that a tenant lets its users exchange for tokens. */
export const jwtIssuers = pgTable(
  'jwt_issuers',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    tenantId: ofTenant(),
    issuer: text('issuer').notNull(),
    audience: text('audience').notNull(),
    jwksUrl: text('jwks_url').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [unique('jwt_issuers_of_tenant').on(table.tenantId, table.issuer, table.audience)],
);

export const definitions = pgTable(
  'definitions',
  {
    tenantId: ofTenant(),
    name: text('name').notNull(),
    capacity: integer('capacity').notNull(),
    blocks: text('blocks').array().notNull(),
    /** The parent in the tree; null for a root */
    parent: text('parent'),
    /** Whether it only groups what is below it. Its capacity is then 1. */
    isGroup: boolean('is_group').notNull().default(false),
    labels: jsonb('labels').$type<Readonly<Record<string, string>>>().notNull().default({}),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.name] })],
);

/** Who changed what, and when. */
export const audit = pgTable(
  'audit',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    at: time('at').notNull().defaultNow(),
    tenantId: ofTenant(),
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    details: jsonb('details').notNull().default({}),
  },
  (table) => [index('audit_tenant').on(table.tenantId, table.id)],
);
