/**
 * The credential of a request, and the record of a tenant that is kept in Redis beside the tenant's state.
 */
import { DEFAULT_BOOKINGS_PER_REQUESTER, DEFAULT_MAX_BOOKING_SECONDS } from './bookings.ts';
import { nameFault } from './names.ts';
import type { WantedTypes } from './notices.ts';
import {
  type KeyPermission,
  RIGHTS_OF_KEY,
  RIGHTS_OF_TOKEN,
  type Right,
  rightsText,
  type TokenPermission,
} from './rights.ts';
import type { Tier } from './tiers.ts';
import { MAX_PRIORITY } from './waiting.ts';

/** The longest label of an API key, in characters. */
export const MAX_LABEL_LENGTH = 64;

/** The longest prefix of the names that an API key may change, in characters. */
const MAX_PREFIX_LENGTH = 256;

/** @returns the end of a sentence that starts with the field's name; null if a key can have this prefix */
export const prefixFault = (prefix: string): string | null =>
  prefix.includes('>') ? 'must not contain >' : nameFault(prefix, MAX_PREFIX_LENGTH);

/** The caller of a request as its headers describe it, not verified yet. */
export interface Credential {
  readonly tenant: string;
  /** The string that scripts look the caller up by (lua/frame/admission.lua); never the key, token or session. */
  readonly credentialKey: string;
  readonly kind: 'key' | 'token' | 'session' | 'management' | 'service';
  /** The name of the person in the audit trail, if their session has been read. */
  readonly actor?: string;
  /** The only requester that a derived token may act for. */
  readonly subject?: string;
  /** The address that the request came from, for the audit trail; of IPv6 its /64. */
  readonly address?: string;
}

/** The credential of the service itself, for work that no caller asked for. */
export const asService = (tenant: string): Credential => ({ tenant, credentialKey: '', kind: 'service' });

/** The rights of a restricted key or a management token. */
export interface Grant {
  readonly rights: readonly Right[];
  /** ms since 1970 UTC; null: it does not end */
  readonly endsAtMs: number | null;
  /** The prefix of the names that it may change; '' any */
  readonly prefix: string;
}

/** The restrictions of an API key. */
export interface KeyLimits {
  readonly permission: KeyPermission;
  /** The prefix of the names that it may change; '' any */
  readonly prefix: string;
  /** null: it does not end */
  readonly expiresAt: Date | null;
}

/** The grant of an API key; null if it is not restricted. */
export const grantOf = ({ permission, prefix, expiresAt }: KeyLimits): Grant | null =>
  permission === 'full' && prefix === '' && expiresAt === null
    ? null
    : { rights: RIGHTS_OF_KEY[permission], endsAtMs: expiresAt?.getTime() ?? null, prefix };

/** A grant as scripts read it (lua/frame/tenant.lua). */
export const grantText = ({ rights, endsAtMs, prefix }: Grant): string =>
  `${rightsText(rights)}\n${endsAtMs ?? 0}\n${prefix}`;

/** The permissions of a derived token. */
export interface TokenGrant {
  readonly permission: TokenPermission;
  /** The prefix of the names that it may change; '' any */
  readonly prefix: string;
  /** The highest priority that requests with it may wait with. */
  readonly maxPriority: number;
}

/** The grant of a derived token, as Redis keeps it and scripts read it (lua/frame/admission.lua). */
export const tokenText = ({ permission, prefix, maxPriority }: TokenGrant): string =>
  `${rightsText(RIGHTS_OF_TOKEN[permission])}\n${maxPriority}\n${prefix}`;

/** Reads the highest priority from what tokenText() made. */
export const tokenPriority = (text: string): number => Number(text.split('\n')[1] ?? 0);

/** The string that scripts look a management token up by. */
export const managementKey = (digest: string): string => `management:${digest}`;

/** An API key or a management token, as scripts look it up. */
export interface KeyRecord {
  /** SHA-256 of a key, hexadecimal; of a management token, what managementKey() makes of it */
  readonly digest: string;
  readonly label: string | null;
  /** null: a key without restrictions */
  readonly grant: Grant | null;
}

/** Settings of a tenant (docs/specification.md#settings). */
export interface Settings {
  /** True if only registered resources may be reserved. */
  readonly requireRegistration: boolean;
  /** The highest priority that requests with keys and sessions may wait with. */
  readonly maxPriority: number;
  /** The lease of reservations whose requests ask for none, in s; null: they have none. */
  readonly defaultTtlSeconds: number | null;
  /** The longest lease, in s: reservations must then have one. null: any lease, or none */
  readonly maxTtlSeconds: number | null;
  /** True if reservations must have a note. */
  readonly requireNote: boolean;
  /** True if holders may take slots out of service when they release them. */
  readonly holdersReport: boolean;
  /** How long before its end a lease is announced, in s; 0: never. */
  readonly endsSoonSeconds: number;
  /** The longest booking, in s. */
  readonly maxBookingSeconds: number;
  /** How many bookings that have not begun a requester may have. */
  readonly bookingsPerRequester: number;
}

/** The longest time before its end at which a lease is announced, in s. */
export const MAX_ENDS_SOON_SECONDS = 3600;

export const DEFAULT_SETTINGS: Settings = {
  requireRegistration: false,
  maxPriority: MAX_PRIORITY,
  defaultTtlSeconds: null,
  maxTtlSeconds: null,
  requireNote: false,
  holdersReport: true,
  endsSoonSeconds: 300,
  maxBookingSeconds: DEFAULT_MAX_BOOKING_SECONDS,
  bookingsPerRequester: DEFAULT_BOOKINGS_PER_REQUESTER,
};

/** Returns the settings among the fields of a tenant. */
export const settingsOf = (tenant: Settings): Settings => ({
  requireRegistration: tenant.requireRegistration,
  maxPriority: tenant.maxPriority,
  defaultTtlSeconds: tenant.defaultTtlSeconds,
  maxTtlSeconds: tenant.maxTtlSeconds,
  requireNote: tenant.requireNote,
  holdersReport: tenant.holdersReport,
  endsSoonSeconds: tenant.endsSoonSeconds,
  maxBookingSeconds: tenant.maxBookingSeconds,
  bookingsPerRequester: tenant.bookingsPerRequester,
});

export interface TenantRecord extends Settings {
  readonly id: string;
  /** Grows with each change in the database; null: there is no database */
  readonly version: number | null;
  readonly tier: Tier;
  readonly suspended: boolean;
  /** API keys and management tokens. */
  readonly keys: readonly KeyRecord[];
  /** The types of events that its subscriptions and persons want; null: none */
  readonly notices: WantedTypes | null;
}

/** The settings for reservations as scripts read them (lua/reservations/terms.lua); '' if all are the defaults. */
export function termsText(terms: Terms): string {
  const text = textOf(terms);
  return text === textOf(DEFAULT_SETTINGS) ? '' : text;
}

function textOf({ defaultTtlSeconds, maxTtlSeconds, requireNote, holdersReport, ...ofBookings }: Terms): string {
  const { maxBookingSeconds, bookingsPerRequester } = ofBookings;
  const ms = (seconds: number | null) => (seconds === null ? '' : seconds * 1000);
  const flags = `${Number(requireNote)} ${Number(holdersReport)}`;
  return `${ms(defaultTtlSeconds)} ${ms(maxTtlSeconds)} ${flags} ${maxBookingSeconds} ${bookingsPerRequester}`;
}

/** The settings for reservations and bookings. */
export type Terms = Omit<Settings, 'requireRegistration' | 'maxPriority' | 'endsSoonSeconds'>;

const HOUR_S = 3600;

/** The lease that people are offered first, in s: the tenant's own, else an hour, or less if that is too long. */
export const suggestedLease = ({ defaultTtlSeconds, maxTtlSeconds }: Terms): number =>
  defaultTtlSeconds ?? Math.min(HOUR_S, maxTtlSeconds ?? HOUR_S);

/** Reads what termsText() made. */
export function termsOf(text: string): Terms {
  const [defaultMs = '', maxMs = '', requireNote, report, booking, bookings] = (text || textOf(DEFAULT_SETTINGS)).split(
    ' ',
  );
  const seconds = (ms: string) => (ms === '' ? null : Number(ms) / 1000);
  return {
    defaultTtlSeconds: seconds(defaultMs),
    maxTtlSeconds: seconds(maxMs),
    requireNote: requireNote === '1',
    holdersReport: report === '1',
    maxBookingSeconds: Number(booking),
    bookingsPerRequester: Number(bookings),
  };
}

/** Columns that administrators can sort tenants by. */
export const TENANT_SORTS = ['id', 'reservations', 'definitions', 'requests', 'refusals', 'activity'] as const;
