/**
 * Signing in through an OpenID Connect provider (docs/specification.md#identity): the code flow with PKCE.
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
import { isThisMachine } from '../config/machine.ts';
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
  /** Where the provider sends people back to. */
  readonly redirectUri: string;
}

/** What must be remembered of a sign-in until the provider sends its person back. */
export const SignIn = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() });
export type SignIn = z.infer<typeof SignIn>;

/** Who the provider says that somebody is. */
export interface SignedIn {
  readonly issuer: string;
  readonly subject: string;
  /** null: none, or none that it has verified */
  readonly email: string | null;
  readonly name: string | null;
  readonly groups: string[];
}

/** Providers differ in what they send; what is of another type says nothing. */
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

/** What is said of somebody's e-mail address, by one source: one's flag does not speak for another's address. */
const emailOf = ({ email, email_verified: verified }: z.infer<typeof Claims>): string | null =>
  verified === true ? (email ?? null) : null;

/** @param told in the ID token @param asked of the provider, whose word counts more */
export function describe(told: unknown, asked: unknown): Pick<SignedIn, 'email' | 'name' | 'groups'> {
  const [early, late] = [Claims.parse(told), Claims.parse(asked)];
  return {
    email: emailOf(late.email === undefined ? early : late),
    name: (late.name ?? early.name) || null,
    groups: late.groups ?? early.groups ?? [],
  };
}

/** Whether the provider has refused, or what it says does not hold; and not merely failed to answer. */
function isRefusal(error: unknown): boolean {
  if (error instanceof AuthorizationResponseError) return true;
  if (error instanceof ResponseBodyError) return error.status < 500;
  return error instanceof ClientError && !NO_ANSWER.has(error.code ?? '');
}

/** By openid-client's codes. */
const NO_ANSWER = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_PARSE_ERROR']);

const away = (cause: unknown) =>
  new HoldfastError('unavailable', 'The identity provider cannot be reached. Try again.', { cause });

export class OidcClient {
  readonly #options: OidcOptions;
  #configuration: Promise<Configuration> | null = null;

  constructor(options: OidcOptions) {
    this.#options = options;
  }

  /**
   * Begins a sign-in.
   * @returns where to send the person, and what to remember until it is back
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
   * Ends a sign-in.
   * @param query with which the provider sent the person back
   * @throws HoldfastError unauthenticated, where it is not the sign-in that was begun, or the provider refused it;
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
        : away(cause);
    });
    const idToken = tokens.claims();
    // Not every text can be stored.
    if (idToken === undefined || nameFault(idToken.sub, MAX_SUBJECT_LENGTH) !== null)
      throw new HoldfastError('unauthenticated', 'The sign-in did not succeed.');
    // Some providers say in the ID token who it is, some only when asked.
    const info = configuration.serverMetadata().userinfo_endpoint
      ? await fetchUserInfo(configuration, tokens.access_token, idToken.sub).catch((cause: unknown) => {
          throw away(cause);
        })
      : {};
    return { issuer: idToken.iss, subject: idToken.sub, ...describe(idToken, info) };
  }

  /** Where the provider ends its own session too; null where it has no such place, or cannot be reached. */
  async endUrl(returnTo: string): Promise<URL | null> {
    const configuration = await this.#discovered().catch(() => null);
    if (configuration === null || !configuration.serverMetadata().end_session_endpoint) return null;
    const { clientId } = this.#options;
    return buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo, client_id: clientId });
  }

  #discovered(): Promise<Configuration> {
    this.#configuration ??= this.#discover().catch((cause: unknown) => {
      this.#configuration = null;
      throw away(cause);
    });
    return this.#configuration;
  }

  #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const url = new URL(issuer);
    // Only for a provider on this very machine, as in tests.
    const isLocal = url.protocol === 'http:' && isThisMachine(url.hostname);
    const options = { timeout: TIMEOUT_S, ...(isLocal ? { execute: [allowInsecureRequests] } : {}) };
    return clientSecret === undefined
      ? discovery(url, clientId, undefined, None(), options)
      : discovery(url, clientId, clientSecret, undefined, options);
  }
}
