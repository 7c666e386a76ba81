/**
 * Verifies end users' JWTs by the issuers that tenants have registered (decisions, section 9).
 */
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { HoldfastError } from '../domain/errors.ts';
import { nameFault, SYSTEM_REQUESTER_PREFIX } from '../domain/names.ts';
import { JwksCache } from './jwks.ts';

/** Signatures by a key of the issuer's own; never by a secret that is shared. */
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
/** The longest requester (decisions, section 2). */
const MAX_SUBJECT_LENGTH = 256;

/** An issuer that a tenant trusts to say who its users are. */
export interface TrustedIssuer {
  readonly tenant: string;
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
}

/** Finds those that have registered an issuer with one of these audiences. */
export type IssuerLookup = (issuer: string, audiences: readonly string[]) => Promise<readonly TrustedIssuer[]>;

/** Whom a JWT is of. */
export interface VerifiedJwt {
  readonly tenant: string;
  /** Fit to be a requester. */
  readonly subject: string;
  /** ms since 1970 UTC */
  readonly expiresAtMs: number;
}

export class JwtVerifier {
  readonly #lookUp: IssuerLookup;
  readonly #jwks: JwksCache;

  /** @param options.allowPrivate whether keys may be fetched from private addresses, and without TLS */
  constructor(lookUp: IssuerLookup, { allowPrivate }: { readonly allowPrivate: boolean }) {
    this.#lookUp = lookUp;
    this.#jwks = new JwksCache(allowPrivate);
  }

  /** @throws HoldfastError unauthenticated, saying what is wrong; unavailable, where the issuer's keys cannot be fetched */
  async verify(jwt: string): Promise<VerifiedJwt> {
    if (jwt.length > MAX_LENGTH) throw bad(`is longer than ${MAX_LENGTH} characters`);
    const { issuer, audience, jwksUrl, tenant } = await this.#issuerOf(jwt);
    const keys = this.#jwks.at(jwksUrl);
    const { payload } = await jwtVerify(
      jwt,
      (header, token) =>
        keys(header, token).catch((error: unknown) => {
          throw faultOf(error) === null ? unreachable(error) : error;
        }),
      { algorithms: ALGORITHMS, issuer, audience, requiredClaims: ['exp', 'sub'] },
    ).catch((error: unknown) => {
      const fault = faultOf(error);
      throw fault === null ? error : bad(fault);
    });
    const { sub, exp } = payload;
    if (typeof sub !== 'string' || typeof exp !== 'number') throw bad('lacks exp or sub');
    const fault = sub.startsWith(SYSTEM_REQUESTER_PREFIX)
      ? `must not start with ${SYSTEM_REQUESTER_PREFIX}`
      : nameFault(sub, MAX_SUBJECT_LENGTH);
    if (fault !== null) throw bad(`has a sub that ${fault}`);
    return { tenant, subject: sub, expiresAtMs: exp * 1000 };
  }

  /** Whose keys are to verify it. What it says of itself is believed only once they have. */
  async #issuerOf(jwt: string): Promise<TrustedIssuer> {
    let claims: JWTPayload;
    try {
      claims = decodeJwt(jwt);
    } catch {
      throw bad('is malformed');
    }
    const { iss, aud } = claims;
    const audiences = (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === 'string');
    if (typeof iss !== 'string' || audiences.length === 0) throw bad('lacks iss or aud');
    const [found, another] = await this.#lookUp(iss, audiences);
    if (found === undefined) throw bad('is of no issuer and audience that is registered');
    if (another !== undefined) throw bad('has several audiences that are registered');
    return found;
  }
}

const bad = (fault: string) => new HoldfastError('unauthenticated', `The JWT ${fault}.`);

const unreachable = (cause: unknown) =>
  new HoldfastError('unavailable', 'The keys of the issuer cannot be fetched. Repeat the call.', { cause });

/** What is wrong with the JWT, by jose's codes; null where something else is. */
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
      return 'needs what is not supported';
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
