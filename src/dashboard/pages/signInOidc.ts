/**
 * Signs people in at an OpenID Connect provider. The browser keeps a sign-in that has begun, encrypted, in a cookie.
 */
import { type Context, Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import { clientAddress } from '../../http/admission/clientAddress.ts';
import { DESCRIBED_MS } from '../../identity/admins.ts';
import { cookieName, isBehindTls, type Sealer } from '../../identity/credentials.ts';
import { type OidcClient, type SignedIn, SignIn } from '../../identity/oidc.ts';
import type { DashboardDeps, DashboardEnv, SignInWay } from '../env.ts';
import { ownPath } from '../paths.ts';
import { cookieOptions } from '../session/device.ts';
import { startSession } from '../session/startSession.ts';

type OidcWay = Extract<SignInWay, { readonly kind: 'oidc' }>;

/** The time that a person has to sign in, in ms. */
const SIGN_IN_MS = 600_000;

/** How many new memberships a session tells of. */
const MAX_JOINED = 10;

/** A sign-in that has begun. */
const Begun = SignIn.extend({ to: z.string(), untilMs: z.number() });
type Begun = z.infer<typeof Begun>;

export const oidcRoutes = (deps: DashboardDeps, { client, sealer }: OidcWay) => {
  const { publicUrl, memberships } = deps;
  const cookie = cookieName(publicUrl, 'sign_in');

  return new Hono<DashboardEnv>()
    .get('/auth/start', async (c) => {
      const { url, signIn } = await client.begin();
      const begun: Begun = { ...signIn, to: ownPath(c.req.query('to')), untilMs: Date.now() + SIGN_IN_MS };
      setCookie(c, cookie, await sealer.seal(JSON.stringify(begun)), cookieOptions(publicUrl, SIGN_IN_MS));
      return c.redirect(url.href, 303);
    })
    .get('/auth/callback', async (c) => {
      deps.failedAuthentications.check(clientAddress(c, deps.trustedProxies));
      const begun = await readBegun(sealer, getCookie(c, cookie));
      deleteCookie(c, cookie, { path: '/', secure: isBehindTls(publicUrl) });
      if (begun === null) throw new HoldfastError('forbidden', 'This sign-in was not begun here, or it took too long.');
      const person = await finish(deps, c, client, begun);
      const admitted = await memberships.admit(person, clientAddress(c, deps.trustedProxies));
      const { tenant, name: tenantName, role } = admitted.open;
      const hasSeveral = admitted.memberships.length > 1;
      const describedUntilMs = Date.now() + DESCRIBED_MS;
      const joined = admitted.joined.slice(0, MAX_JOINED);
      const user = { ...person, id: admitted.userId, role, tenantName, joined, hasSeveral, describedUntilMs };
      return startSession(deps, c, { tenant, user, to: begun.to });
    });
};

/**
 * Finishes a sign-in at the provider. A failure counts as a failed authentication.
 * @throws HoldfastError forbidden, unavailable; LimitError
 */
async function finish(
  { failedAuthentications, trustedProxies }: Pick<DashboardDeps, 'failedAuthentications' | 'trustedProxies'>,
  c: Context<DashboardEnv>,
  client: OidcClient,
  begun: Begun,
): Promise<SignedIn> {
  try {
    return await client.finish(new URL(c.req.url).search.slice(1), begun);
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'unauthenticated') throw error;
    const reason = error.cause instanceof Error ? error.cause.message : undefined;
    c.var.log.warn({ requestId: c.var.requestId, reason }, 'sign-in failed');
    await failedAuthentications.count(clientAddress(c, trustedProxies));
    throw new HoldfastError('forbidden', error.message);
  }
}

/** Reads the cookie of a sign-in; null if it is not valid, or too old. */
async function readBegun(sealer: Sealer, cookie: string | undefined): Promise<Begun | null> {
  if (cookie === undefined) return null;
  const text = await sealer.open(cookie).catch(() => 'null');
  const { data } = Begun.safeParse(JSON.parse(text));
  return data !== undefined && data.untilMs > Date.now() ? data : null;
}
