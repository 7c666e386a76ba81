/**
 * Parses credentials (API keys, derived tokens, management tokens, sessions) and makes new ones
 * (docs/specification.md#identity). Only the engine knows whether a credential is valid: it looks up the digest.
 */
import { hash, randomBytes } from 'node:crypto';
import { API_KEY, DERIVED_TOKEN, MANAGEMENT_TOKEN, SESSION } from '../domain/names.ts';
import { type Credential, managementKey } from '../domain/tenants.ts';

/** SHA-256, hexadecimal: the only form in which a key, a token or a session is looked up. */
export const digestOf = (secret: string): string => hash('sha256', secret);

/** 160 random bits, as 40 hexadecimal digits. */
export const makeSecret = (): string => randomBytes(20).toString('hex');

/** A new key of a tenant: 40 random hexadecimal digits. */
export const makeKey = (tenant: string): string => `hf_${tenant}_${makeSecret()}`;

/** A new derived token. It contains its subject, so that no look-up is needed to know it; the digest covers it too. */
export const makeToken = (tenant: string, subject: string): string =>
  `hft_${tenant}_${Buffer.from(subject).toString('base64url')}.${makeSecret()}`;

/** A new management token of a tenant. */
export const makeManagementToken = (tenant: string): string => `hfm_${tenant}_${makeSecret()}`;

/** A new session of a tenant's user. */
export const makeSession = (tenant: string): string => `hfs_${tenant}_${makeSecret()}`;

/** Caches recent keys → their digests. The validity of keys is never cached. */
const digests = new Map<string, string>();
const MAX_DIGESTS = 10_000;

function knownDigestOf(key: string): string {
  const known = digests.get(key);
  if (known !== undefined) return known;
  if (digests.size === MAX_DIGESTS) digests.clear();
  const digest = digestOf(key);
  digests.set(key, digest);
  return digest;
}

/** Parses a key or a derived token; null if it is neither a key nor a derived token. */
export function parseKey(text: string): Credential | null {
  const tenant = API_KEY.exec(text)?.[1];
  if (tenant !== undefined) return { tenant, credentialKey: knownDigestOf(text), kind: 'key' };
  const [, of, subject] = DERIVED_TOKEN.exec(text) ?? [];
  if (of === undefined || subject === undefined) return null;
  const credentialKey = `token:${digestOf(text)}`;
  return { tenant: of, credentialKey, kind: 'token', subject: Buffer.from(subject, 'base64url').toString() };
}

/** Parses a management token; null if it is not one. */
export function parseManagementToken(text: string): Credential | null {
  const tenant = MANAGEMENT_TOKEN.exec(text)?.[1];
  return tenant === undefined ? null : { tenant, credentialKey: managementKey(digestOf(text)), kind: 'management' };
}

/** Parses the cookie of a session; null if it is not one. */
export function parseSession(text: string): Credential | null {
  const tenant = SESSION.exec(text)?.[1];
  return tenant === undefined ? null : { tenant, credentialKey: `session:${digestOf(text)}`, kind: 'session' };
}
