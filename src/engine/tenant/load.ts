/**
 * Puts a tenant's record into Redis, beside the tenant's state: its tier, settings and keys
 * (docs/specification.md#store-modes-and-start).
 */
import type { TenantRecord } from '../../domain/tenants.ts';
import type { RedisClient } from '../../redis/client.ts';
import { keysOf } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';

/** The tenant's definitions that are in Redis already. */
export interface Copied {
  readonly definitionsVersion: number;
  /** Under which they were copied; null in the in-memory mode, where there is nothing to copy. */
  readonly lease: string | null;
}

/**
 * Puts a record in place of the one that is there, unless that is newer. Reservations stay as they are.
 * @param copied the definitions that were; undefined where only the record has changed: a tenant that Redis does not
 * know is then left unknown, to be loaded as a whole when it is needed
 * @returns false where the copy's lease was lost, and nothing was done
 * @throws HoldfastError unavailable
 */
export async function loadTenant(redis: RedisClient, record: TenantRecord, copied?: Copied): Promise<boolean> {
  const { id, version, tier, suspended, requireRegistration, keys } = record;
  const pairs = keys.flatMap(({ digest, label }) => [digest, label ?? '']);
  const flags = [suspended, requireRegistration].map(Number);
  const versions = [version ?? '', copied?.definitionsVersion ?? '', copied?.lease ?? ''];
  return (
    (await send(() => redis.hf_loadTenant(...keysOf('loadTenant', id), ...versions, tier, ...flags, ...pairs))) === 'OK'
  );
}

/** Loads the tenants of the in-memory mode: those that the configuration names. */
export const configuredLoader =
  (redis: RedisClient, tenants: ReadonlyMap<string, TenantRecord>) =>
  async (id: string): Promise<boolean> => {
    const record = tenants.get(id);
    return record !== undefined && (await loadTenant(redis, record, { definitionsVersion: 0, lease: null }));
  };
