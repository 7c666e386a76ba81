/**
 * The formats of environment variables that hold more than a word or a number of their own.
 */

import { isIPv4 } from 'node:net';
import { z } from 'zod';
import { newIssuer, refusePublic } from '../contract/issuers.ts';
import { API_KEY, audienceFault, nameFault, TENANT_ID } from '../domain/names.ts';
import { KEY_PERMISSIONS, ROLES } from '../domain/rights.ts';
import { MAX_LABEL_LENGTH, prefixFault } from '../domain/tenants.ts';
import { TIERS } from '../domain/tiers.ts';

/** A text that holds JSON. */
export const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
});

/** A decimal integer. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be an integer')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

/** A list of texts, separated by commas. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

/** An https address, or an http address of this machine. */
export const httpsOrLoopback = z.url('must be an address').refine((text) => {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname));
}, 'must be an https address, or one on this machine');

export const httpAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

const ApiKey = z
  .object({
    key: z.string().regex(API_KEY, 'must be hf_<tenant id>_<32 or more letters and digits>'),
    tenant: z.string().regex(TENANT_ID, 'must be 1 to 40 lower-case letters, digits and hyphens'),
    tier: z.enum(TIERS),
    label: z
      .string()
      .refine(
        (label) => nameFault(label, MAX_LABEL_LENGTH) === null,
        `must be 1 to ${MAX_LABEL_LENGTH} printable characters`,
      )
      .optional(),
    permission: z.enum(KEY_PERMISSIONS).default('full'),
    prefix: z
      .string()
      .superRefine((prefix, context) => {
        const fault = prefixFault(prefix);
        if (fault !== null) context.addIssue({ code: 'custom', message: fault });
      })
      .default(''),
    expiresAt: z.iso
      .datetime({ offset: true, error: 'must be a time, such as 2027-01-31T12:00:00Z' })
      .transform((text) => new Date(text))
      .nullable()
      .default(null),
  })
  .refine(({ key, tenant }) => key.startsWith(`hf_${tenant}_`), {
    path: ['key'],
    message: 'must name the same tenant',
  });

/** API_KEYS. */
export const ApiKeys = z
  .array(ApiKey)
  .min(1, 'must hold at least one key')
  .refine((keys) => new Set(keys.map(({ key }) => key)).size === keys.length, 'must not hold a key twice')
  .refine(
    (keys) => keys.every(({ tenant, tier }) => keys.every((other) => other.tenant !== tenant || other.tier === tier)),
    'must give all keys of a tenant the same tier',
  );

const JwtIssuer = z
  .strictObject({
    ...newIssuer,
    tenant: z.string().regex(TENANT_ID, 'must be 1 to 40 lower-case letters, digits and hyphens'),
    jwksUrl: z.url('must be an address'),
  })
  .superRefine((one, context) => {
    const fault = audienceFault(one.audience, one.tenant);
    if (fault !== null) context.addIssue({ code: 'custom', path: ['audience'], message: fault });
    refusePublic(one, context);
  });

/** JWT_ISSUERS. */
export const JwtIssuers = z
  .array(JwtIssuer)
  .refine(
    (issuers) => new Set(issuers.map(({ tenant, id }) => `${tenant} ${id}`)).size === issuers.length,
    'must not hold an id twice for one tenant',
  );

const limit = z.union([z.int().min(1), z.null()], 'must be an integer of at least 1, or null for any number');
const partialLimits = z
  .strictObject({
    writesPerMinute: limit,
    readsPerMinute: limit,
    writesPerDay: limit,
    reservations: limit,
    bookings: limit,
    eventConnections: limit,
    apiKeys: limit,
    notices: limit,
    definitions: limit,
    bytes: limit,
    auditDays: limit,
    historyDays: z.union([z.int().min(0), z.null()], 'must be an integer of at least 0, or null for ever'),
    historyEntries: limit,
  })
  .partial();

const ofTenant = {
  tenant: z.string().regex(TENANT_ID, 'must be 1 to 40 lower-case letters, digits and hyphens'),
  role: z.enum(ROLES, `must be one of ${ROLES.join(', ')}`),
};
const email = z
  .string()
  .max(320, 'must have at most 320 characters')
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
  .transform((text) => text.toLowerCase());

/** MEMBERS. */
export const Members = z
  .array(
    z.union(
      [z.strictObject({ email, ...ofTenant }), z.strictObject({ group: z.string().min(1), ...ofTenant })],
      'must be {email, tenant, role} or {group, tenant, role}',
    ),
    'must be a list',
  )
  .min(1, 'must name at least one member');

/** TIERS: the limits that differ from the defaults. */
export const Tiers = z.partialRecord(z.enum(TIERS), partialLimits);

const NAMES = new Set(['localhost', '::1', '[::1]']);

/**
 * Recognizes hosts that are this machine, for which http without TLS is safe.
 * @param hostname the host of a URL, or an address that a server listens on. Names that end in .localhost are this
 * machine (RFC 6761, 6.3), and so are all addresses that begin with 127 (RFC 1122, 3.2.1.3)
 */
export const isThisMachine = (hostname: string): boolean =>
  NAMES.has(hostname) || hostname.endsWith('.localhost') || (isIPv4(hostname) && hostname.startsWith('127.'));
