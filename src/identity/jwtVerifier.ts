/**
 * Verifies JWTs with the keys of issuers that tenants have registered (docs/specification.md#jwt-exchange).
 */
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { HoldfastError } from '../domain/errors.ts';
import { isIssuerText, ownAudience, tenantOfAudience } from '../domain/names.ts';
import { publicIssuerFault } from '../domain/publicIssuers.ts';
import { type Claims, type Registration, requesterOf, unmetBy } from '../domain/registrations.ts';
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

/** A registration of a tenant. */
export interface TrustedIssuer extends Registration {
  readonly tenant: string;
  /** Another one after each change of the registration. */
  readonly revision: string;
}

/** Finds a tenant's registrations of an issuer with one of these audiences. */
export type IssuerLookup = (
  tenant: string,
  issuer: string,
  audiences: readonly string[],
) => Promise<readonly TrustedIssuer[]>;

/** The fields of an exchange beside the JWT. */
export interface Presented {
  /** undefined: the JWT's audience names it */
  readonly tenant?: string | undefined;
  /** The id of the registration; undefined: the only one that the JWT matches. */
  readonly issuer?: string | undefined;
  readonly instance?: string | undefined;
}

/** The verified content of a JWT. */
export interface VerifiedJwt {
  /** The registration that the JWT matches. */
  readonly by: TrustedIssuer;
  readonly requester: string;
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
   * Verifies a JWT, and finds the registration that it matches. Nothing of a registration decides what the caller is
   * told before the signature is verified.
   * @throws HoldfastError unauthenticated, with the fault; refused, if the registration asks for an instance;
   * unavailable, if the issuer's keys cannot be fetched
   */
  async verify(jwt: string, { tenant, issuer, instance }: Presented = {}): Promise<VerifiedJwt> {
    if (jwt.length > MAX_LENGTH) throw bad(`is longer than ${MAX_LENGTH} characters`);
    const { claims, expiresAtMs, signed } = await this.#verified(jwt, await this.#candidates(jwt, tenant, issuer));
    const by = onlyMatch(signed, claims);
    if (by.instances && instance === undefined)
      throw new HoldfastError('refused', `instance is required: the issuer "${by.id}" tells jobs apart by it`);
    const made = requesterOf(by.requester, claims, by.instances ? instance : undefined);
    if ('fault' in made) throw bad(made.fault);
    return { by, requester: made.requester, expiresAtMs };
  }

  /**
   * Returns true if a registration is as it was.
   * @throws HoldfastError unavailable
   */
  async isTrusted({ tenant, issuer, audience, revision }: TrustedIssuer): Promise<boolean> {
    return (await this.#lookUp(tenant, issuer, [audience])).some((one) => one.revision === revision);
  }

  /** Finds the registrations that a JWT may be of. Its claims are not trusted yet. */
  async #candidates(jwt: string, named: string | undefined, id: string | undefined): Promise<readonly TrustedIssuer[]> {
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
    const found = await this.#lookUp(named ?? tenantIn(audiences), iss, audiences);
    const meant = id === undefined ? found : found.filter((one) => one.id === id);
    if (meant.length > 0) return meant;
    throw bad(`is of no issuer and audience that its tenant has registered${id === undefined ? '' : ' with this id'}`);
  }

  /** Returns the claims of a JWT, and the registrations whose keys it is signed with. */
  async #verified(jwt: string, candidates: readonly TrustedIssuer[]) {
    const addresses = [...new Set(candidates.map(({ jwksUrl }) => jwksUrl))];
    const tries = await Promise.all(
      addresses.map((jwksUrl) => {
        const at = candidates.filter((one) => one.jwksUrl === jwksUrl);
        return this.#verifyAt(jwksUrl, jwt, at).then((payload) => ({ at, payload }), badOnly);
      }),
    );
    const done = tries.filter((one) => 'payload' in one);
    const [first] = done;
    const [fault] = tries.filter((one) => one instanceof HoldfastError);
    if (first === undefined) throw fault ?? new TypeError('a JWT without candidates');
    const { exp } = first.payload;
    if (typeof exp !== 'number') throw bad('lacks exp');
    return { claims: first.payload, expiresAtMs: exp * 1000, signed: done.flatMap(({ at }) => at) };
  }

  async #verifyAt(jwksUrl: string, jwt: string, at: readonly TrustedIssuer[]): Promise<JWTPayload> {
    const keys = this.#jwks.keysAt(jwksUrl);
    const { payload } = await jwtVerify(
      jwt,
      (header, token) =>
        keys(header, token).catch((error: unknown) => {
          if (faultOf(error) !== null) throw error;
          this.#onUnreachable();
          throw unreachable(error);
        }),
      {
        algorithms: ALGORITHMS,
        issuer: at.map(({ issuer }) => issuer),
        audience: at.map(({ audience }) => audience),
        requiredClaims: ['exp'],
      },
    ).catch((error: unknown) => {
      const fault = faultOf(error);
      throw fault === null ? error : bad(fault);
    });
    return payload;
  }
}

/** @throws whatever is not the fault of the JWT: a registration whose keys are unknown could match, too */
function badOnly(error: unknown): HoldfastError {
  if (error instanceof HoldfastError && error.code === 'unauthenticated') return error;
  throw error;
}

/**
 * Returns the registration that a verified JWT matches.
 * @throws HoldfastError unauthenticated if it matches none or several
 */
function onlyMatch(signed: readonly TrustedIssuer[], claims: Claims): TrustedIssuer {
  const rows = signed.map((by) => ({ by, faults: faultsOf(by, claims) }));
  const [match, another] = rows.filter(({ faults }) => faults.length === 0);
  if (match !== undefined && another === undefined) return match.by;
  if (match !== undefined)
    throw bad('matches several registrations of its issuer: send the id of the one that you mean as "issuer"');
  const [only] = rows;
  if (only === undefined || rows.length > 1) throw bad('meets the conditions of no registration of its issuer');
  throw bad(`does not meet the conditions of the issuer "${only.by.id}" on ${only.faults.join(', ')}`);
}

/** Returns the claims on which a registration does not admit a JWT. */
function faultsOf({ issuer, conditions }: TrustedIssuer, claims: Claims): string[] {
  // The list of public issuers may be younger than the registration.
  return publicIssuerFault(issuer, conditions) === null
    ? unmetBy(conditions, claims)
    : ['an id of whom it is signed for'];
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
