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
import type { Attributes } from '../domain/attributes.ts';
import { DEFAULT_BOOKINGS_PER_REQUESTER, DEFAULT_MAX_BOOKING_SECONDS } from '../domain/bookings.ts';
import type { AfterUse } from '../domain/conditions.ts';
import { KEY_PERMISSIONS, ROLES, SCOPES } from '../domain/rights.ts';
import { TIERS } from '../domain/tiers.ts';
import { MAX_PRIORITY } from '../domain/waiting.ts';

export const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const version = (name: string) => bigint(name, { mode: 'number' }).notNull().default(1);

export const tier = pgEnum('tier', TIERS);
export const role = pgEnum('role', ROLES);
export const keyPermission = pgEnum('key_permission', KEY_PERMISSIONS);
export const scope = pgEnum('scope', SCOPES);

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
    /** A setting: the lease of reservations whose requests ask for none, in s; null: they have none. */
    defaultTtlSeconds: integer('default_ttl_seconds'),
    /** A setting: the longest lease, in s. Reservations without a lease are refused then; null: any lease, or none. */
    maxTtlSeconds: integer('max_ttl_seconds'),
    /** A setting: whether reservations must have a note. */
    requireNote: boolean('require_note').notNull().default(false),
    /** A setting: whether those who hold a slot may take it out of service when they release it. */
    holdersReport: boolean('holders_report').notNull().default(true),
    /** A setting: how long before its end a lease is announced, in s; 0: never. */
    endsSoonSeconds: integer('ends_soon_seconds').notNull().default(300),
    /** A setting: the longest booking, in s. */
    maxBookingSeconds: integer('max_booking_seconds').notNull().default(DEFAULT_MAX_BOOKING_SECONDS),
    /** A setting: how many future bookings a requester may have. */
    bookingsPerRequester: integer('bookings_per_requester').notNull().default(DEFAULT_BOOKINGS_PER_REQUESTER),
    /** Grows with each change of the tenant's tier, suspension, settings or keys, which Redis has a copy of. */
    version: version('version'),
    /** Grows with each change of the tenant's definitions. */
    definitionsVersion: version('definitions_version'),
    /** The version in Redis of what was last copied to outOfService; 0: nothing */
    outVersion: bigint('out_version', { mode: 'number' }).notNull().default(0),
    createdAt: time('created_at').notNull().defaultNow(),
    /** When one of the versions last grew. */
    changedAt: time('changed_at').notNull().defaultNow(),
  },
  (table) => [index('tenants_changed_at').on(table.changedAt)],
);

export const ofTenant = () =>
  text('tenant_id')
    .notNull()
    .references(() => tenants.id, { onDelete: 'cascade' });

/** People who have signed in. */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** The tenant that the person's next sign-in opens, if they are still its member. */
    tenantId: text('tenant_id').references(() => tenants.id, { onDelete: 'set null' }),
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

/** Members of tenants. Of the two roles, the higher one counts. */
export const members = pgTable(
  'members',
  {
    tenantId: ofTenant(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The role that an owner gave; null: only groups give one. */
    role: role('role'),
    /** The role that groups of the identity provider gave at the last sign-in; null: none does. */
    groupRole: role('group_role'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.userId] }), index('members_user').on(table.userId)],
);

/** Invitations to a tenant: of an e-mail address, or by a link that anybody may use who has it. */
export const invitations = pgTable(
  'invitations',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    tenantId: ofTenant(),
    role: role('role').notNull(),
    /** In lower case; null: by a link */
    email: text('email'),
    /** SHA-256 of the secret of the link, hexadecimal; null: by e-mail address */
    digest: text('digest').unique('invitations_digest'),
    /** Who made it, as in the audit trail. */
    createdBy: text('created_by').notNull(),
    /**
     * Who made it: the id of the user, or the credential key of the management token. The invitation ends when they may
     * invite no more. null: an administrator
     */
    maker: text('maker'),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    index('invitations_tenant').on(table.tenantId),
    uniqueIndex('invitations_email').on(table.email, table.tenantId),
  ],
);

/** People who were removed from a tenant or got a lower role: links of its invitations give them nothing. */
export const linkBars = pgTable(
  'link_bars',
  {
    tenantId: ofTenant(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.userId] })],
);

/** The role that a group of the identity provider gives in a tenant. */
export const groupRoles = pgTable(
  'group_roles',
  {
    tenantId: ofTenant(),
    group: text('group').notNull(),
    role: role('role').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.group] }), index('group_roles_group').on(table.group)],
);

/** Tokens with which programs manage a tenant. */
export const managementTokens = pgTable(
  'management_tokens',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    tenantId: ofTenant(),
    /** SHA-256 of the token, hexadecimal. */
    digest: text('digest').notNull().unique('management_tokens_digest'),
    label: text('label').notNull(),
    scopes: scope('scopes').array().notNull(),
    /** Who made it, as in the audit trail. */
    createdBy: text('created_by').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [index('management_tokens_tenant').on(table.tenantId)],
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
    permission: keyPermission('permission').notNull().default('full'),
    /** The prefix of the names that the key may change; '' any */
    prefix: text('prefix').notNull().default(''),
    /** When the key ends; null: it does not */
    expiresAt: time('expires_at'),
    createdAt: time('created_at').notNull().defaultNow(),
    rotatedAt: time('rotated_at'),
  },
  (table) => [
    index('api_keys_tenant').on(table.tenantId),
    uniqueIndex('api_keys_default').on(table.tenantId).where(sql`${table.isDefault}`),
  ],
);

/** A tenant's use, for administrators: a copy of the figures in Redis, some seconds old (operations/copies.ts). */
export const tenantUsages = pgTable('tenant_usages', {
  tenantId: text('tenant_id')
    .primaryKey()
    .references(() => tenants.id, { onDelete: 'cascade' }),
  reservations: integer('reservations').notNull(),
  definitions: integer('definitions').notNull(),
  /** Of the last hour. */
  requests: integer('requests').notNull(),
  /** Refused operations of the last hour. */
  refusals: integer('refusals').notNull(),
  /** The last request; null: not known */
  activeAt: time('active_at'),
  writtenAt: time('written_at').notNull(),
});

export const definitions = pgTable(
  'definitions',
  {
    tenantId: ofTenant(),
    name: text('name').notNull(),
    capacity: integer('capacity').notNull(),
    blocks: text('blocks').array().notNull(),
    /** The parent in the tree; null for a root */
    parent: text('parent'),
    /** True if it only groups the resources below it. Its capacity is then 1. */
    isGroup: boolean('is_group').notNull().default(false),
    labels: jsonb('labels').$type<Readonly<Record<string, string>>>().notNull().default({}),
    /** The condition of its slots after a reservation. */
    afterUse: text('after_use').$type<AfterUse>().notNull().default('ready'),
    attributes: jsonb('attributes').$type<Attributes>().notNull().default({}),
    /** Those of each slot, in order. */
    slotAttributes: jsonb('slot_attributes').$type<readonly Attributes[]>().notNull().default([]),
    /** True if its slots can be booked. */
    bookable: boolean('bookable').notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.name] })],
);

/** Slots that are out of service: a copy of what Redis has, some seconds old, for when Redis has lost its data. */
export const outOfService = pgTable(
  'out_of_service',
  {
    tenantId: ofTenant(),
    slot: text('slot').notNull(),
    since: time('since').notNull(),
    /** The actor who took it out of service, as in events; null: the service */
    actor: text('actor'),
    reason: text('reason'),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.slot] })],
);

/** The audit trail. */
export const audit = pgTable(
  'audit',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    at: time('at').notNull().defaultNow(),
    /** No reference: the trail outlives the tenant. */
    tenantId: text('tenant_id').notNull(),
    actor: text('actor').notNull(),
    /** The address that the request came from; null: not known */
    address: text('address'),
    action: text('action').notNull(),
    details: jsonb('details').notNull().default({}),
  },
  // A page is read from the index that fits its filters, in the order of time (store/audit.ts).
  ({ id, at, tenantId, actor, action }) => [
    index('audit_tenant').on(tenantId, at, id),
    index('audit_tenant_actor').on(tenantId, actor, at, id),
    index('audit_tenant_action').on(tenantId, action, at, id),
    index('audit_at').on(at, id),
    index('audit_actor').on(actor, at, id),
    index('audit_action').on(action, at, id),
  ],
);

/** Links that show the Board on a wall, read-only and without a session. */
export const tvLinks = pgTable(
  'tv_links',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    tenantId: ofTenant(),
    /** SHA-256 of the token in the link, hexadecimal. */
    digest: text('digest').notNull().unique('tv_links_digest'),
    label: text('label').notNull(),
    /** Who made it, as in the audit trail. */
    createdBy: text('created_by').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [index('tv_links_tenant').on(table.tenantId)],
);
