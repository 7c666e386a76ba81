/**
 * Puts a tenant's record (tier, settings, keys) into Redis, beside the tenant's state
 * (docs/specification.md#store-modes-and-start).
 */
import { grantText, type TenantRecord, termsText } from '../../domain/tenants.ts';
import type { RedisClient } from '../../redis/client.ts';
import { keysOf } from '../../redis/keys.ts';
import { runScript } from '../../redis/scripts.ts';

/** A copy of the tenant's definitions that Redis already has. */
export interface Copied {
  readonly definitionsVersion: number;
  /** The lease under which they were copied; null in in-memory mode, which has nothing to copy */
  readonly lease: string | null;
}

/**
 * Replaces the record in Redis, unless the one in Redis is newer. Reservations do not change.
 * @param copied undefined if only the record has changed: a tenant that Redis does not have is then not loaded, but
 * loaded as a whole when it is used
 * @returns false if the copy's lease was lost and nothing was done
 * @throws HoldfastError unavailable
 */
export async function loadTenant(redis: RedisClient, record: TenantRecord, copied?: Copied): Promise<boolean> {
  const { id, version, tier, suspended, requireRegistration, maxPriority, keys } = record;
  const entries = keys.flatMap(({ digest, label, grant }) => [
    digest,
    label ?? '',
    grant === null ? '' : grantText(grant),
  ]);
  const settings = [Number(suspended), Number(requireRegistration), maxPriority, termsText(record)];
  const versions = [version ?? '', copied?.definitionsVersion ?? '', copied?.lease ?? ''];
  return (
    (await runScript(redis, 'loadTenant', ...keysOf('loadTenant', id), ...versions, tier, ...settings, ...entries)) ===
    'OK'
  );
}

/** Makes the function that loads the configured tenants of the in-memory mode. */
export const configuredLoader =
  (redis: RedisClient, tenants: ReadonlyMap<string, TenantRecord>) =>
  async (id: string): Promise<boolean> => {
    const record = tenants.get(id);
    return record !== undefined && (await loadTenant(redis, record, { definitionsVersion: 0, lease: null }));
  };
