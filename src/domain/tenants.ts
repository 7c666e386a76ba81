/**
 * What is known of a tenant and of who asks: the credential of a request, and the tenant's record as the
 * engine keeps it beside the tenant's state.
 */
import type { Tier } from './tiers.ts';

/** Whoever sent a request, as far as its headers tell: nothing of it is verified yet. */
export interface Credential {
  readonly tenant: string;
  /** The string that scripts look the caller up by (lua/lib/admit.lua); never the key, token or session itself. */
  readonly credentialKey: string;
  readonly kind: 'key' | 'token' | 'session' | 'service';
  /** Of a derived token: the one requester that it acts for. */
  readonly subject?: string;
}

/** The service itself, where it acts on a tenant of its own accord. */
export const asService = (tenant: string): Credential => ({ tenant, credentialKey: '', kind: 'service' });

export interface TenantRecord {
  readonly id: string;
  /** Grows with each change in the database; null: there is no database. */
  readonly version: number | null;
  readonly tier: Tier;
  readonly suspended: boolean;
  /** Whether only what is registered may be reserved. */
  readonly requireRegistration: boolean;
  readonly keys: readonly { readonly digest: string; readonly label: string | null }[];
}
