/**
 * The tables of notices (docs/specification.md#notices), beside schema.ts: what tenants have subscribed to, what people
 * want to be told and where, and Slack. Secrets are JWEs, encrypted with the configured secret
 * (identity/credentials.ts).
 */
import { boolean, foreignKey, index, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import type { Channel, DisabledReason, PersonalNotice, SubscriptionKind } from '../domain/notices.ts';
import { members, ofTenant, time } from './schema.ts';

/** Subscriptions of tenants: webhooks, Slack and e-mail. */
export const subscriptions = pgTable(
  'subscriptions',
  {
    id: uuid('id').primaryKey(),
    tenantId: ofTenant(),
    kind: text('kind').$type<SubscriptionKind>().notNull(),
    label: text('label').notNull(),
    /** Types of events; `*`: all, also future ones */
    types: text('types').array().notNull(),
    /** The prefix of resources; '' all */
    prefix: text('prefix').notNull(),
    enabled: boolean('enabled').notNull(),
    /** Why the service disabled it; null: it did not */
    disabledReason: text('disabled_reason').$type<DisabledReason>(),
    /** Its address, channel or e-mail addresses: JSON, encrypted. */
    target: text('target').notNull(),
    /** The host of its address; null: it has no address */
    host: text('host'),
    /** Of a webhook: the secret that signs, encrypted. */
    secret: text('secret'),
    /** The secret before the last rotation, encrypted. It signs for 24 h after that. */
    previousSecret: text('previous_secret'),
    rotatedAt: time('rotated_at'),
    /** Who made it, as in the audit trail. */
    createdBy: text('created_by').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    changedAt: time('changed_at').notNull().defaultNow(),
  },
  // The oldest ones work after a downgrade.
  (table) => [index('subscriptions_tenant').on(table.tenantId, table.createdAt, table.id)],
);

/** What members want to be told, and where. */
export const noticeChoices = pgTable(
  'notice_choices',
  {
    tenantId: ofTenant(),
    userId: uuid('user_id').notNull(),
    what: text('what').$type<PersonalNotice>().notNull(),
    channels: text('channels').array().$type<Channel[]>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.userId, table.what] }),
    foreignKey({
      name: 'notice_choices_member',
      columns: [table.tenantId, table.userId],
      foreignColumns: [members.tenantId, members.userId],
    }).onDelete('cascade'),
  ],
);

/** The Slack app of a tenant. */
export const slackApps = pgTable('slack_apps', {
  tenantId: ofTenant().primaryKey(),
  /** Encrypted. */
  botToken: text('bot_token').notNull(),
  /** Encrypted. */
  signingSecret: text('signing_secret').notNull(),
  teamId: text('team_id').notNull(),
  teamName: text('team_name').notNull(),
  /** Who made it, as in the audit trail. */
  createdBy: text('created_by').notNull(),
  createdAt: time('created_at').notNull().defaultNow(),
});

/** Accounts in Slack that members have linked while they were signed in. */
export const slackLinks = pgTable(
  'slack_links',
  {
    tenantId: ofTenant(),
    teamId: text('team_id').notNull(),
    slackUserId: text('slack_user_id').notNull(),
    userId: uuid('user_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.teamId, table.slackUserId] }),
    unique('slack_links_user').on(table.tenantId, table.userId),
    foreignKey({
      name: 'slack_links_member',
      columns: [table.tenantId, table.userId],
      foreignColumns: [members.tenantId, members.userId],
    }).onDelete('cascade'),
  ],
);

/** Devices to which members have personal notices pushed. */
export const pushDevices = pgTable(
  'push_devices',
  {
    tenantId: ofTenant(),
    userId: uuid('user_id').notNull(),
    /** What the cookie of the browser has (dashboard/session/device.ts). */
    deviceId: uuid('device_id').notNull(),
    /** Its endpoint and keys: JSON, encrypted. */
    target: text('target').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.userId, table.deviceId] }),
    index('push_devices_device').on(table.deviceId),
    foreignKey({
      name: 'push_devices_member',
      columns: [table.tenantId, table.userId],
      foreignColumns: [members.tenantId, members.userId],
    }).onDelete('cascade'),
  ],
);
