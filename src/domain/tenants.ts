/**
 * The credential of a request, and the record of a tenant that is kept in Redis beside the tenant's state.
 */
import type { Tier } from './tiers.ts';

/** The longest label of an API key, in characters. */
export const MAX_LABEL_LENGTH = 64;

/** The caller of a request as its headers describe it, not verified yet. */
export interface Credential {
  readonly tenant: string;
  /** The string that scripts look the caller up by (lua/lib/admit.lua); never the key, token or session itself. */
  readonly credentialKey: string;
  readonly kind: 'key' | 'token' | 'session' | 'service';
  /** The only requester that a derived token may act for. */
  readonly subject?: string;
}

/** The credential of the service itself, for work that no caller asked for. */
export const asService = (tenant: string): Credential => ({ tenant, credentialKey: '', kind: 'service' });

export interface TenantRecord {
  readonly id: string;
  /** Grows with each change in the database; null: there is no database */
  readonly version: number | null;
  readonly tier: Tier;
  readonly suspended: boolean;
  /** Whether only registered resources may be reserved. */
  readonly requireRegistration: boolean;
  /** The highest priority that requests with keys and sessions may wait with. */
  readonly maxPriority: number;
  readonly keys: readonly { readonly digest: string; readonly label: string | null }[];
}
