/**
 * The tenants of the in-memory mode, from the configured keys (docs/specification.md#store-modes-and-start).
 */
import { DEFAULT_SETTINGS, grantOf, type KeyLimits, type TenantRecord } from '../domain/tenants.ts';
import type { Tier } from '../domain/tiers.ts';
import { digestOf } from './credentials.ts';

/** A key without limits of its own is unrestricted. */
export interface ConfiguredKey extends Partial<KeyLimits> {
  readonly key: string;
  readonly tenant: string;
  readonly tier: Tier;
  readonly label?: string | undefined;
}

/** Returns the records of all tenants that the keys name, by tenant id. */
export function configuredTenants(keys: readonly ConfiguredKey[]): ReadonlyMap<string, TenantRecord> {
  const tenants = new Map<string, TenantRecord>();
  for (const { key, tenant: id, tier, label, permission = 'full', prefix = '', expiresAt = null } of keys) {
    const earlier = tenants.get(id)?.keys ?? [];
    tenants.set(id, {
      id,
      version: null,
      tier,
      suspended: false,
      ...DEFAULT_SETTINGS,
      keys: [
        ...earlier,
        { digest: digestOf(key), label: label ?? null, grant: grantOf({ permission, prefix, expiresAt }) },
      ],
    });
  }
  return tenants;
}
