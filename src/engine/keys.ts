/**
 * The names of the keys that instances themselves address in Redis. All that belongs to a tenant bears its hash tag,
 * `{<tenant id>}:`, so that one script can work on it in a cluster; lua/includes/tenant.lua names those keys:
 *
 *   {t}:tenant         hash: tier, and the counters of lua/includes/tenant.lua
 *   {t}:keys           hash: SHA-256 of an API key → its label
 *   {t}:slots:<epoch>  hash: held slot → record (lua/includes/codec.lua)
 *   {t}:due:<epoch>    sorted set: slot that carries a lease → ms at which it is due
 *   {expiry:<n>}       sorted set, one shard of the expiry index: tenant → ms before which nothing of it is due
 */
import { createHash } from 'node:crypto';

/** Shards of the expiry index: enough to spread it over a cluster, few enough to look at all of them every second. */
export const EXPIRY_SHARDS = 16;

export const tenantKey = (tenant: string): string => `{${tenant}}:tenant`;

export const expiryKey = (shard: number): string => `{expiry:${shard}}`;

/** The shard of the expiry index that holds a tenant. */
export const expiryShard = (tenant: string): number =>
  createHash('sha1').update(tenant).digest().readUInt8(0) % EXPIRY_SHARDS;

export const PROBE_KEY = '{probe}';
