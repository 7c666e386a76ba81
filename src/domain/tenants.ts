/**
 * What is known of a tenant and of who asks: the credential of a request, and the tenant's record as the
 * engine keeps it beside the tenant's state.
 */
import type { Quota } from './limits.ts';
import type { Tier } from './tiers.ts';

/** Whoever sent a request, as far as its header tells: nothing of it is verified yet. */
export interface Credential {
  readonly tenant: string;
  /** SHA-256 of the key, hexadecimal. The key itself goes nowhere. */
  readonly digest: string;
  /** What is left of the caller's quota; the engine and the limiters set it when they charge a request. */
  quota?: readonly Quota[];
}

export interface TenantRecord {
  readonly id: string;
  readonly tier: Tier;
  readonly keys: readonly { readonly digest: string; readonly label: string | null }[];
}
