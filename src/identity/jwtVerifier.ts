/**
 * Verifies end users' JWTs with the keys of issuers that tenants have registered (docs/specification.md#jwt-exchange).
 */
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { HoldfastError } from '../domain/errors.ts';
import { isIssuerText, nameFault, ownAudience, RESERVED_SUBJECT_PREFIXES, tenantOfAudience } from '../domain/names.ts';
import { JwksCache } from './jwks.ts';

/** Signatures with a private key of the issuer, never with a shared secret. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const MAX_LENGTH = 8192;
/** The longest requester (docs/specification.md#names-and-sizes). */
const MAX_SUBJECT_LENGTH = 256;

/** An issuer that a tenant trusts to say who its users are. */
export interface TrustedIssuer {
  readonly tenant: string;
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
}

/** Finds a tenant's registrations of an issuer with one of these audiences. */
export type IssuerLookup = (
  tenant: string,
  issuer: string,
  audiences: readonly string[],
) => Promise<readonly TrustedIssuer[]>;

/** The verified content of a JWT. */
export interface VerifiedJwt {
  /** The registration whose keys verified the JWT. */
  readonly by: TrustedIssuer;
  /** A valid requester. */
  readonly subject: string;
  /** ms since 1970 UTC */
  readonly expiresAtMs: number;
}

export class JwtVerifier {
  readonly #lookUp: IssuerLookup;
  readonly #jwks: JwksCache;
  readonly #onUnreachable: () => void;

  /**
   * @param options.allowPrivate whether keys may be fetched from private addresses or without TLS
   * @param options.onUnreachable called for each JWT whose issuer's keys cannot be fetched
   */
  constructor(lookUp: IssuerLookup, options: { readonly allowPrivate: boolean; readonly onUnreachable: () => void }) {
    this.#lookUp = lookUp;
    this.#jwks = new JwksCache(options.allowPrivate);
    this.#onUnreachable = options.onUnreachable;
  }

  /**
   * @param named the tenant that the request names; undefined: the JWT's audience names it
   * @throws HoldfastError unauthenticated, with the fault; unavailable, if the issuer's keys cannot be fetched
   */
  async verify(jwt: string, named?: string): Promise<VerifiedJwt> {
    if (jwt.length > MAX_LENGTH) throw bad(`is longer than ${MAX_LENGTH} characters`);
    const by = await this.#issuerOf(jwt, named);
    const { issuer, audience, jwksUrl } = by;
    const keys = this.#jwks.keysAt(jwksUrl);
    const { payload } = await jwtVerify(
      jwt,
      (header, token) =>
        keys(header, token).catch((error: unknown) => {
          if (faultOf(error) !== null) throw error;
          this.#onUnreachable();
          throw unreachable(error);
        }),
      { algorithms: ALGORITHMS, issuer, audience, requiredClaims: ['exp', 'sub'] },
    ).catch((error: unknown) => {
      const fault = faultOf(error);
      throw fault === null ? error : bad(fault);
    });
    const { sub, exp } = payload;
    if (typeof sub !== 'string' || typeof exp !== 'number') throw bad('lacks exp or sub');
    const reserved = RESERVED_SUBJECT_PREFIXES.find((prefix) => sub.startsWith(prefix));
    const fault = reserved === undefined ? nameFault(sub, MAX_SUBJECT_LENGTH) : `must not start with ${reserved}`;
    if (fault !== null) throw bad(`has a sub that ${fault}`);
    return { by, subject: sub, expiresAtMs: exp * 1000 };
  }

  /**
   * Returns true if a registration still exists.
   * @throws HoldfastError unavailable
   */
  async isTrusted({ tenant, issuer, audience }: TrustedIssuer): Promise<boolean> {
    return (await this.#lookUp(tenant, issuer, [audience])).length > 0;
  }

  /** Finds the registration whose keys verify a JWT. The JWT's claims are not trusted before that. */
  async #issuerOf(jwt: string, named: string | undefined): Promise<TrustedIssuer> {
    let claims: JWTPayload;
    try {
      claims = decodeJwt(jwt);
    } catch {
      throw bad('is malformed');
    }
    const { iss, aud } = claims;
    // Other names cannot be registered, and some texts cannot be looked up in the database.
    const audiences = (Array.isArray(aud) ? aud : [aud]).filter((one) => isIssuerText(one));
    if (!isIssuerText(iss) || audiences.length === 0) throw bad('has no valid iss or aud');
    const tenant = named ?? tenantIn(audiences);
    const found = await this.#lookUp(tenant, iss, audiences);
    // All of these belong to the tenant. If several match, the choice is always the same.
    const own = found.find(({ audience }) => audience === ownAudience(tenant));
    const [first] = found.toSorted((one, other) => (one.audience < other.audience ? -1 : 1));
    const by = own ?? first;
    if (by === undefined) throw bad('is of no issuer and audience that its tenant has registered');
    return by;
  }
}

/** Returns the tenant whose own audience is among these. */
function tenantIn(audiences: readonly string[]): string {
  const [tenant, another] = new Set(audiences.map(tenantOfAudience).filter((one) => one !== null));
  if (tenant === undefined || another !== undefined)
    throw bad(`does not say which tenant it is for: send "tenant" beside "jwt", or issue it for the audience ${OWN}`);
  return tenant;
}

const OWN = ownAudience('<tenant id>');

const bad = (fault: string) => new HoldfastError('unauthenticated', `The JWT ${fault}.`);

const unreachable = (cause: unknown) =>
  new HoldfastError('unavailable', 'The keys of the issuer cannot be fetched. Repeat the call.', { cause });

/** Returns the fault of a JWT by jose's error code; null: the error is not the JWT's fault */
function faultOf(error: unknown): string | null {
  if (!(error instanceof errors.JOSEError)) return null;
  switch (error.code) {
    case 'ERR_JWT_EXPIRED':
      return 'has expired';
    case 'ERR_JWT_CLAIM_VALIDATION_FAILED':
      return error instanceof errors.JWTClaimValidationFailed ? `has a bad ${error.claim}` : 'has a bad claim';
    case 'ERR_JOSE_ALG_NOT_ALLOWED':
      return 'is not signed by an algorithm that is allowed';
    case 'ERR_JOSE_NOT_SUPPORTED':
      return 'needs a feature that is not supported';
    case 'ERR_JWS_INVALID':
    case 'ERR_JWT_INVALID':
      return 'is malformed';
    case 'ERR_JWKS_NO_MATCHING_KEY':
      return 'is signed by no key of the issuer’s';
    case 'ERR_JWKS_MULTIPLE_MATCHING_KEYS':
      return 'does not say which of the issuer’s keys it is signed by';
    case 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED':
      return 'has a signature that is not the issuer’s';
    default:
      return null;
  }
}
