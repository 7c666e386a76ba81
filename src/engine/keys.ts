/**
 * The names of the keys that instances themselves address in Redis. All that belongs to a tenant bears its hash tag,
 * `{<tenant id>}:`, so that one script can work on it in a cluster; lua/includes/tenant.lua names those keys:
 *
 *   {t}:tenant                hash: tier, and what lua/includes/tenant.lua names besides
 *   {t}:keys                  hash: SHA-256 of an API key → its label; while the tenant is suspended, {t}:suspendedKeys
 *   {t}:token:<SHA-256>       a derived token, until it ends
 *   {t}:tokens:<issuer>:<minute>:<digit>  set: tokens that were exchanged for an issuer’s JWTs in one minute (tokens.ts)
 *   {t}:session:<SHA-256>     who has signed in, as JSON, until the session ends
 *   {t}:activity              hash: minute of the hour → what happened in it: its number since 1970, operations, refusals
 *   {t}:used                  hash: SHA-256 of an API key → ms at which it was last used
 *   {t}:copying               the lease under which its definitions are copied from the database
 *   {t}:closing               hash: definition that is about to be deleted → ms until which it is not to be reserved
 *   {t}:definitions           hash: registered name → definition (lua/includes/definitions.lua)
 *   {t}:names                 sorted set: registered names, by their bytes
 *   {t}:children              sorted set: parent '\n' name of what is in a tree, by their bytes
 *   {t}:slots:<epoch>         hash: held slot → record (lua/includes/codec.lua)
 *   {t}:due:<epoch>           sorted set: slot that carries a lease → ms at which it is due
 *   {t}:assigned:<epoch>      hash: pool '\n' owner → the slot that the owner has of the pool
 *   {t}:bits:<epoch>:<pool>   bitmap: which slots of a pool are held
 *   {t}:pools:<epoch>         set: pools that have a bitmap
 *   {t}:loose:<epoch>         hash: name → how many slots <name>_<i> are held that are no pool's
 *   {t}:streams               sorted set: id of an open stream of events → ms at which its lease lapses; those of sessions: {t}:sessionStreams
 *   {t}:events                channel (sharded pub/sub): events as streams send them; an empty message: keys have changed
 *   {expiry:<n>}              sorted set, one shard of the expiry index: tenant → ms before which nothing of it is due
 */
import { createHash } from 'node:crypto';
import type { Credential } from '../domain/tenants.ts';

/** Shards of the expiry index: enough to spread it over a cluster, few enough to look at all of them every second. */
export const EXPIRY_SHARDS = 16;

export const tenantKey = (tenant: string): string => `{${tenant}}:tenant`;

/** The lease under which a tenant's definitions are copied. */
export const copyingKey = (tenant: string): string => `{${tenant}}:copying`;

/** A session, by the credential that it gives. */
export const sessionKey = ({ tenant, asker }: Credential): string => `{${tenant}}:${asker}`;

/** Matches every tenant's key, in SCAN. */
export const TENANT_KEYS = tenantKey('*');

/** The tenant whose key it is; null where it is no tenant's. */
export const tenantOf = (key: string): string | null => /^\{([^{}]+)\}:tenant$/.exec(key)?.[1] ?? null;

export const expiryKey = (shard: number): string => `{expiry:${shard}}`;

/** The channel of a tenant's events, and the tenant whose channel it is. */
export const eventsChannel = (tenant: string): string => `{${tenant}}:events`;
export const tenantOfChannel = (channel: string): string => channel.slice(1, channel.indexOf('}'));

/** The shard of the expiry index that holds a tenant. */
export const expiryShard = (tenant: string): number =>
  createHash('sha1').update(tenant).digest().readUInt8(0) % EXPIRY_SHARDS;

/** What is written to prove that Redis can be: in a cluster, on several primaries. */
export const PROBE_KEYS: readonly string[] = Array.from({ length: 8 }, (_, i) => `{probe:${i}}`);
