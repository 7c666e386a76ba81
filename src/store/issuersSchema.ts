/**
 * The table of the issuers whose JWTs tenants trust (docs/specification.md#jwt-exchange), beside schema.ts.
 */
import { boolean, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import type { Conditions } from '../domain/registrations.ts';
import type { TokenPermission } from '../domain/rights.ts';
import { keyPermission, ofTenant, time } from './schema.ts';

/** Issuers of JWTs that a tenant lets its users exchange for tokens. */
export const jwtIssuers = pgTable(
  'jwt_issuers',
  {
    tenantId: ofTenant(),
    /** The tenant's choice. */
    id: text('id').notNull(),
    issuer: text('issuer').notNull(),
    audience: text('audience').notNull(),
    jwksUrl: text('jwks_url').notNull(),
    conditions: jsonb('conditions').$type<Conditions>().notNull(),
    permission: keyPermission('permission').$type<TokenPermission>().notNull(),
    prefix: text('prefix').notNull(),
    maxPriority: integer('max_priority').notNull(),
    requester: text('requester').notNull(),
    instances: boolean('instances').notNull(),
    /** Another one after each change: tokens that were exchanged before have ended. */
    revision: uuid('revision').notNull().defaultRandom(),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.id] })],
);
