/**
 * Credentials (docs/specification.md#identity): parses API keys, derived tokens, management tokens and sessions, makes
 * new ones, and encrypts those that are stored. Only the engine knows whether one is valid: it looks up the digest.
 */
import { hash, randomBytes } from 'node:crypto';
import { HoldfastError } from '../domain/errors.ts';
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

/** Caches what recent keys say. The validity of keys is never cached. */
const known = new Map<string, Credential>();
const MAX_KNOWN = 10_000;

/** Parses a key or a derived token; null if it is neither a key nor a derived token. */
export function parseKey(text: string): Credential | null {
  const credential = known.get(text);
  if (credential !== undefined) return credential;
  const tenant = API_KEY.exec(text)?.[1];
  if (tenant !== undefined) return remember(text, { tenant, credentialKey: digestOf(text), kind: 'key' });
  const [, of, subject] = DERIVED_TOKEN.exec(text) ?? [];
  if (of === undefined || subject === undefined) return null;
  const credentialKey = `token:${digestOf(text)}`;
  return { tenant: of, credentialKey, kind: 'token', subject: Buffer.from(subject, 'base64url').toString() };
}

function remember(key: string, credential: Credential): Credential {
  if (known.size === MAX_KNOWN) known.clear();
  known.set(key, credential);
  return credential;
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

/**
 * The token of the link that signs in on this machine (docs/specification.md#dashboard-and-sign-in). Only the terminal
 * of the start shows it, so only users of the service's machine have it. It works once: taking it makes the next one.
 */
export class OneTimeToken {
  #current = makeSecret();
  #tell = (_next: string) => {};

  get current(): string {
    return this.#current;
  }

  /** @param tell called with each token that replaces another */
  onNext(tell: (next: string) => void): void {
    this.#tell = tell;
  }

  /** Returns true if a token could be taken. Compares digests, so that the time reveals nothing about the token. */
  isCurrent(token: string): boolean {
    return digestOf(token) === digestOf(this.#current);
  }

  /** @returns whether the token was the current one */
  take(token: string): boolean {
    if (!this.isCurrent(token)) return false;
    this.#current = makeSecret();
    this.#tell(this.#current);
    return true;
  }
}

/** Returns true if people see the service over TLS. */
export const isBehindTls = (publicUrl: string | undefined): boolean => publicUrl?.startsWith('https:') ?? false;

/**
 * The name of a cookie. Behind TLS it starts with `__Host-`: browsers then accept it only from this host and over TLS,
 * so that no page of a sibling host can set one.
 * @param what such as `session`
 */
export const cookieName = (publicUrl: string | undefined, what: string): string =>
  `${isBehindTls(publicUrl) ? '__Host-' : ''}holdfast_${what}`;

/** For people and programs that want to see a key. */
const UNREADABLE =
  'The value of this key cannot be shown: KEY_SECRET was another one when it was made. The key still works. Rotate it to get a new value.';

/**
 * Encrypts stored API keys, which the dashboard can show again (docs/specification.md#dashboard-and-sign-in), and the
 * sign-ins in progress that browsers keep: as JWEs with the configured secret.
 */
export class Sealer {
  readonly #secret: Uint8Array;

  /** @param secret any text. Values that were encrypted with another secret cannot be opened */
  constructor(secret: string) {
    this.#secret = hash('sha256', secret, 'buffer');
  }

  async seal(text: string): Promise<string> {
    const { CompactEncrypt } = await import('jose');
    return new CompactEncrypt(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(this.#secret);
  }

  /** @throws HoldfastError refused if the text is not encrypted, or with another secret */
  async open(sealed: string): Promise<string> {
    const { compactDecrypt } = await import('jose');
    try {
      const { plaintext } = await compactDecrypt(sealed, this.#secret);
      return new TextDecoder().decode(plaintext);
    } catch (cause) {
      throw new HoldfastError('refused', UNREADABLE, { cause });
    }
  }
}
