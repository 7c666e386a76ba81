/**
 * The sign-in page: a form, a link or a hint for each way to sign in.
 */
import type { SignInWay } from '../env.ts';
import { SIGN_IN } from '../viewer.ts';
import { Page } from './layout.tsx';

export interface SignInProps {
  readonly way: SignInWay;
  readonly to: string;
  /** The token of the address; empty: it has none */
  readonly token: string;
  /** Tenants that a local sign-in can choose. */
  readonly local: readonly string[];
  readonly isOut: boolean;
  /** The address at which the provider ends its own session. */
  readonly elsewhere: URL | null;
}

export const SignInPage = ({ way, to, token, local, isOut, elsewhere }: SignInProps) => (
  <Page title="Sign in" viewer={null}>
    {isOut && (
      <p class="notice good" role="status">
        You are signed out of Holdfast.
        {elsewhere !== null && (
          <>
            {' '}
            <a href={elsewhere.href}>Sign out of {elsewhere.host} too</a>
          </>
        )}
      </p>
    )}
    {way.kind === 'oidc' && (
      <p>
        <a class="button primary" href={`/auth/start?${new URLSearchParams({ to })}`}>
          Sign in with {new URL(way.issuer).host}
        </a>
      </p>
    )}
    {way.kind === 'local' && way.token.isCurrent(token) && (
      <form method="post" action={SIGN_IN} class="buttons">
        <input type="hidden" name="token" value={token} />
        <input type="hidden" name="to" value={to} />
        {local.length === 0 && (
          <button type="submit" class="primary">
            Sign in on this machine
          </button>
        )}
        {local.map((tenant) => (
          <button type="submit" class="primary" name="tenant" value={tenant}>
            Sign in to tenant {tenant}
          </button>
        ))}
      </form>
    )}
    {way.kind === 'local' && !way.token.isCurrent(token) && (
      <p class="notice">
        {token !== '' && 'This link has been used, or another start of Holdfast printed it. '}
        To sign in, open the newest link in the terminal in which you started Holdfast. A link works once. For a real
        sign-in, configure <code>OIDC_ISSUER</code>.
      </p>
    )}
    {way.kind === 'key' && (
      <form method="post" action={SIGN_IN}>
        <input type="hidden" name="to" value={to} />
        <label>
          API key
          <input type="password" name="key" required autocomplete="current-password" placeholder="hf_…" />
        </label>
        <p class="hint">An unrestricted key. You sign in as an owner of its tenant.</p>
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
    )}
    {way.kind === 'none' && (
      <p class="notice">
        No sign-in is configured. Set <code>OIDC_ISSUER</code> for an identity provider, or, on your own machine,{' '}
        <code>LOCAL_SIGN_IN=true</code>.
      </p>
    )}
  </Page>
);
