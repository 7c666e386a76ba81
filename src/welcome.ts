/**
 * The message of an instance that is ready: the address of the dashboard, and a call to paste.
 */
import type { Config, SignInConfig } from './config/config.ts';

/** The link that signs in on this machine, once. */
const signInLink = (url: string, token: string): string => `${url}/dashboard/sign-in?token=${token}`;

/** The line that follows a sign-in by such a link. */
export const nextSignIn = (url: string, token: string): string =>
  `Somebody signed in. The link for the next sign-in: ${signInLink(url, token)}\n`;

/**
 * @param url where the instance is reached
 * @param key one to show; null: the keys are configured, and no secret of ours to print
 * @param signInToken the token of the sign-in link; null: there is no such link
 * @returns lines of text
 */
export function welcome(
  url: string,
  { signIn, database }: Config,
  key: string | null,
  signInToken: string | null,
): string {
  const keys = database === null ? 'API_KEYS' : 'the dashboard';
  return `
Holdfast is ready at ${url}
  dashboard:     ${signInToken === null ? `${url}/dashboard` : signInLink(url, signInToken)} (${whoSignsIn(signIn)})
  API reference: ${url}/docs
${key === null ? '' : `\nNo API_KEYS are configured. This run uses tenant local with key ${key}\n`}
Reserve something${key === null ? `, with a key of ${keys}` : ''}:
  curl -s ${url}/api/v1/Reservation/reserve -H 'X-Api-Key: ${key ?? 'hf_...'}' -H 'Content-Type: application/json' -d '[{"resource": "printer", "requester": "me-'$RANDOM'", "ttlSeconds": 60}]'

`;
}

function whoSignsIn(signIn: SignInConfig): string {
  if (signIn.kind === 'oidc') return `sign-in through ${signIn.issuer}`;
  if (signIn.kind === 'local') return 'this link signs you in, once';
  if (signIn.kind === 'key') return 'sign in with a key';
  return 'nobody can sign in: set OIDC_ISSUER, or LOCAL_SIGN_IN=true with a HOST of this machine';
}
