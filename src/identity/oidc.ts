/**
 * Signs people in through an OpenID Connect provider (docs/specification.md#dashboard-and-sign-in), by the code flow
 * with PKCE.
 */
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientError,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { z } from 'zod';
import { isThisMachine } from '../config/formats.ts';
import { HoldfastError } from '../domain/errors.ts';
import { nameFault } from '../domain/names.ts';

const TIMEOUT_S = 5;
/** OpenID Connect allows 255 characters. */
const MAX_SUBJECT_LENGTH = 255;

export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** undefined: a public client */
  readonly clientSecret: string | undefined;
  readonly scope: string;
  /** The address that the provider redirects people to after sign-in. */
  readonly redirectUri: string;
}

/** The secrets of a sign-in in progress, kept until the provider redirects the person back. */
export const SignIn = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() });
export type SignIn = z.infer<typeof SignIn>;

/** A person as the provider describes them. */
export interface SignedIn {
  readonly issuer: string;
  readonly subject: string;
  /** null: the provider gave none or has not verified it */
  readonly email: string | null;
  readonly name: string | null;
  readonly groups: string[];
}

/** The claims that are used. Claims of an unexpected type are ignored, since providers differ. */
const Claims = z.object({
  email: z
    .string()
    .max(320)
    .regex(/^\P{Cc}*$/u)
    .optional()
    .catch(undefined),
  email_verified: z
    .union([z.boolean(), z.literal('true').transform(() => true)])
    .optional()
    .catch(undefined),
  name: z
    .string()
    .transform((name) => name.replace(/\p{Cc}/gu, '').slice(0, 200))
    .optional()
    .catch(undefined),
  groups: z.array(z.string()).optional().catch(undefined),
});

/** Returns the verified e-mail address of one source. A flag of one source does not apply to the address of another. */
const emailOf = ({ email, email_verified: verified }: z.infer<typeof Claims>): string | null =>
  verified === true ? (email ?? null) : null;

/**
 * Describes a person from two sources.
 * @param idClaims the claims of the ID token
 * @param userInfo the response of the userinfo endpoint, which takes precedence
 */
export function describe(idClaims: unknown, userInfo: unknown): Pick<SignedIn, 'email' | 'name' | 'groups'> {
  const [early, late] = [Claims.parse(idClaims), Claims.parse(userInfo)];
  return {
    email: emailOf(late.email === undefined ? early : late),
    name: (late.name ?? early.name) || null,
    groups: late.groups ?? early.groups ?? [],
  };
}

/** Returns true if the provider refused or sent an invalid response, as opposed to none. */
function isRefusal(error: unknown): boolean {
  if (error instanceof AuthorizationResponseError) return true;
  if (error instanceof ResponseBodyError) return error.status < 500;
  return error instanceof ClientError && !NO_RESPONSE.has(error.code ?? '');
}

/** Error codes of openid-client for a missing response. */
const NO_RESPONSE = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_PARSE_ERROR']);

const unreachable = (cause: unknown) =>
  new HoldfastError('unavailable', 'The identity provider cannot be reached. Try again.', { cause });

export class OidcClient {
  readonly #options: OidcOptions;
  #configuration: Promise<Configuration> | null = null;

  constructor(options: OidcOptions) {
    this.#options = options;
  }

  /**
   * Begins a sign-in.
   * @returns the address to redirect the person to, and the secrets to keep until they are back
   * @throws HoldfastError unavailable
   */
  async begin(): Promise<{ url: URL; signIn: SignIn }> {
    const signIn = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const { redirectUri, scope } = this.#options;
    const url = buildAuthorizationUrl(await this.#discovered(), {
      redirect_uri: redirectUri,
      scope,
      state: signIn.state,
      nonce: signIn.nonce,
      code_challenge: await calculatePKCECodeChallenge(signIn.verifier),
      code_challenge_method: 'S256',
    });
    return { url, signIn };
  }

  /**
   * Completes a sign-in.
   * @param query the query that the provider redirected the person back with
   * @throws HoldfastError unauthenticated, if the query belongs to another sign-in or the provider refused it;
   * unavailable
   */
  async finish(query: string, { state, nonce, verifier }: SignIn): Promise<SignedIn> {
    const configuration = await this.#discovered();
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    const tokens = await authorizationCodeGrant(
      configuration,
      new URL(`${this.#options.redirectUri}?${query}`),
      checks,
    ).catch((cause: unknown) => {
      throw isRefusal(cause)
        ? new HoldfastError('unauthenticated', 'The sign-in did not succeed.', { cause })
        : unreachable(cause);
    });
    const idToken = tokens.claims();
    // Some texts cannot be stored in the database.
    if (idToken === undefined || nameFault(idToken.sub, MAX_SUBJECT_LENGTH) !== null)
      throw new HoldfastError('unauthenticated', 'The sign-in did not succeed.');
    // Some providers describe the person in the ID token, some only at the userinfo endpoint.
    const info = configuration.serverMetadata().userinfo_endpoint
      ? await fetchUserInfo(configuration, tokens.access_token, idToken.sub).catch((cause: unknown) => {
          throw unreachable(cause);
        })
      : {};
    return { issuer: idToken.iss, subject: idToken.sub, ...describe(idToken, info) };
  }

  /** Returns the address that ends the provider's own session; null: it has none, or is unreachable */
  async endUrl(returnTo: string): Promise<URL | null> {
    const configuration = await this.#discovered().catch(() => null);
    if (configuration === null || !configuration.serverMetadata().end_session_endpoint) return null;
    const { clientId } = this.#options;
    return buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo, client_id: clientId });
  }

  #discovered(): Promise<Configuration> {
    this.#configuration ??= this.#discover().catch((cause: unknown) => {
      this.#configuration = null;
      throw unreachable(cause);
    });
    return this.#configuration;
  }

  #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const url = new URL(issuer);
    // Allows http for a provider on this machine, as in tests.
    const isLocal = url.protocol === 'http:' && isThisMachine(url.hostname);
    const options = { timeout: TIMEOUT_S, ...(isLocal ? { execute: [allowInsecureRequests] } : {}) };
    return clientSecret === undefined
      ? discovery(url, clientId, undefined, None(), options)
      : discovery(url, clientId, clientSecret, undefined, options);
  }
}
