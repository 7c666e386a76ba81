/**
 * Signing in and out (docs/specification.md#identity): at an OpenID Connect provider, or, where that is what is
 * configured, on this machine by saying so. A sign-in that has begun is kept, sealed, by the browser that began it; the
 * session, by Redis.
 */
import { type Context, Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import { isThisMachine } from '../../config/machine.ts';
import { HoldfastError } from '../../domain/errors.ts';
import { LOCAL_SUBJECT } from '../../domain/names.ts';
import { beginSession, endSession, type SessionUser } from '../../engine/tenant/sessions.ts';
import { clientAddress } from '../../http/clientAddress.ts';
import { cookieName, isBehindTls } from '../../http/cookies.ts';
import { refuseForeignOrigin } from '../../http/middleware/authenticate.ts';
import { DESCRIBED_MS } from '../../identity/admins.ts';
import { digestOf, makeKey, makeSession, parseSession } from '../../identity/credentials.ts';
import { type SignedIn, SignIn } from '../../identity/oidc.ts';
import type { Sealer } from '../../identity/sealer.ts';
import { findOrCreateUser } from '../../store/users.ts';
import { Page } from '../components/layout.tsx';
import type { DashboardDeps, DashboardEnv, SignInWay } from '../env.ts';
import { readForm } from '../form.ts';
import { SIGN_IN } from '../viewer.ts';

const SESSION_MS = 12 * 3_600_000;
/** The time that a person has to sign in. */
const SIGN_IN_MS = 600_000;

/** What the browser keeps of a sign-in that has begun. */
const Begun = SignIn.extend({ to: z.string(), untilMs: z.number() });

const LocalForm = z.object({ tenant: z.string().optional(), to: z.string().optional() });

const LocalUser: Omit<SessionUser, 'id' | 'describedUntilMs'> = {
  issuer: 'local',
  subject: LOCAL_SUBJECT,
  email: null,
  name: 'Local user',
  groups: [],
};

export const signInRoutes = (deps: DashboardDeps) => {
  const { signIn, tenants, engine, publicUrl, failedAuthentications, trustedProxies, sessionCookie } = deps;
  const secure = isBehindTls(publicUrl);
  const signInCookie = cookieName(publicUrl, 'sign_in');
  const app = new Hono<DashboardEnv>();

  /** @param describedForMs how long the user is believed to be as described: ms */
  const startSession = async (
    c: Context<DashboardEnv>,
    tenant: string,
    user: Omit<SessionUser, 'describedUntilMs'>,
    describedForMs: number,
    to: string,
  ) => {
    const session = makeSession(tenant);
    const credential = parseSession(session);
    if (credential === null) throw new TypeError('a session that was just made cannot be read');
    const before = parseSession(getCookie(c, sessionCookie) ?? '');
    const described = { ...user, describedUntilMs: Date.now() + describedForMs };
    await beginSession(engine.redis, credential, described, SESSION_MS);
    if (before !== null) await endSession(engine.redis, before);
    setCookie(c, sessionCookie, session, {
      path: '/',
      httpOnly: true,
      secure,
      sameSite: 'Lax',
      maxAge: SESSION_MS / 1000,
    });
    return c.redirect(to, 303);
  };

  app.get(SIGN_IN, async (c) => {
    const to = ownPath(c.req.query('to'));
    const { out } = c.req.query();
    const elsewhere =
      out !== undefined && signIn.kind === 'oidc' ? await signIn.client.endUrl(`${publicUrl}${SIGN_IN}`) : null;
    return c.html(
      <SignInPage
        way={signIn}
        to={to}
        local={[...new Set(deps.configuredKeys.map(({ tenant }) => tenant))]}
        isOut={out !== undefined}
        elsewhere={elsewhere}
      />,
    );
  });

  app.post('/dashboard/sign-out', async (c) => {
    refuseForeignOrigin(c);
    const credential = parseSession(getCookie(c, sessionCookie) ?? '');
    if (credential !== null) await endSession(engine.redis, credential);
    deleteCookie(c, sessionCookie, { path: '/', secure });
    return c.redirect(`${SIGN_IN}?out`, 303);
  });

  if (signIn.kind === 'local') {
    app.post(SIGN_IN, async (c) => {
      refuseForeignOrigin(c);
      refuseOtherMachines(c);
      const { tenant = '', to } = await readForm(c, LocalForm);
      if (tenants !== null) {
        const user = await findOrCreateUser(tenants.store, LocalUser, newKey(tenants.sealer));
        return startSession(c, user.tenant, { ...LocalUser, id: user.id }, SESSION_MS, ownPath(to));
      }
      if (!deps.knowsTenant(tenant)) throw new HoldfastError('unknown', 'There is no such tenant.');
      return startSession(c, tenant, { ...LocalUser, id: LOCAL_SUBJECT }, SESSION_MS, ownPath(to));
    });
  }

  if (signIn.kind === 'oidc' && tenants !== null) {
    const { client } = signIn;
    const { sealer, store } = tenants;

    app.get('/auth/start', async (c) => {
      const { url, signIn: begun } = await client.begin();
      const kept: z.infer<typeof Begun> = {
        ...begun,
        to: ownPath(c.req.query('to')),
        untilMs: Date.now() + SIGN_IN_MS,
      };
      setCookie(c, signInCookie, await sealer.seal(JSON.stringify(kept)), {
        path: '/',
        httpOnly: true,
        secure,
        sameSite: 'Lax',
        maxAge: SIGN_IN_MS / 1000,
      });
      return c.redirect(url.href, 303);
    });

    app.get('/auth/callback', async (c) => {
      const address = () => clientAddress(c, trustedProxies);
      failedAuthentications.check(address);
      const begun = await readBegun(sealer, getCookie(c, signInCookie));
      deleteCookie(c, signInCookie, { path: '/', secure });
      if (begun === null) throw new HoldfastError('forbidden', 'This sign-in was not begun here, or it took too long.');
      let person: SignedIn;
      try {
        person = await client.finish(new URL(c.req.url).search.slice(1), begun);
      } catch (error) {
        if (!(error instanceof HoldfastError) || error.code !== 'unauthenticated') throw error;
        const reason = error.cause instanceof Error ? error.cause.message : undefined;
        c.var.log.warn({ requestId: c.var.requestId, reason }, 'sign-in failed');
        await failedAuthentications.count(address());
        throw new HoldfastError('forbidden', error.message);
      }
      const { id, tenant } = await findOrCreateUser(store, person, newKey(sealer));
      return startSession(c, tenant, { ...person, id }, DESCRIBED_MS, begun.to);
    });
  }
  return app;
};

/** Makes the default key of a tenant that is new. */
const newKey = (sealer: Sealer) => async (tenant: string) => {
  const key = makeKey(tenant);
  return { digest: digestOf(key), sealed: await sealer.seal(key), label: null };
};

async function readBegun(sealer: Sealer, cookie: string | undefined): Promise<z.infer<typeof Begun> | null> {
  if (cookie === undefined) return null;
  const text = await sealer.open(cookie).catch(() => 'null');
  const { data } = Begun.safeParse(JSON.parse(text));
  return data !== undefined && data.untilMs > Date.now() ? data : null;
}

/**
 * A page of the dashboard's own to go to, as a browser would understand the address; `/dashboard` instead of any other
 * place.
 */
function ownPath(to: string | undefined): string {
  if (to === undefined || to.length > 1000 || !/^\/dashboard(?:[/?]|$)[\x21-\x5b\x5d-\x7e]*$/.test(to))
    return '/dashboard';
  const { pathname, search } = new URL(to, 'http://own');
  return /^\/dashboard(?:\/|$)/.test(pathname) && !pathname.includes('//') ? pathname + search : '/dashboard';
}

/** Headers by which proxies, tunnels and delivery networks tell whom they speak for. Browsers send none of them. */
const BY_A_PROXY =
  /^(?:via|forwarded|x-forward.*|x-original-.*|x-envoy-.*|x-proxy.*|proxy-.*|cf-.*|fly-.*|fastly-.*|x-amzn-.*|x-azure-.*|x-arr-.*|x-vercel-.*|ngrok-.*|tailscale-.*|.*-(?:ip|addr|address)|.*-(?:client|connecting|real|remote|source)-ip.*)$/;

/**
 * A local sign-in is for whoever sits at this machine: not for a page that makes a name lead here, nor for what a proxy
 * hands on.
 */
function refuseOtherMachines(c: Context<DashboardEnv>): void {
  const address = c.env.incoming.socket.remoteAddress ?? '';
  const isForwarded = Object.keys(c.env.incoming.headers).some((name) => BY_A_PROXY.test(name));
  const isHere = /^(::ffff:)?127\.|^::1$/.test(address) && !isForwarded;
  const origin = c.req.header('Origin') ?? '';
  const hosts = [c.req.url, URL.canParse(origin) ? origin : 'null:'].map((url) => new URL(url).hostname);
  if (!isHere || !hosts.every(isThisMachine))
    throw new HoldfastError('forbidden', 'A local sign-in is for this machine alone.');
}

interface SignInProps {
  readonly way: SignInWay;
  readonly to: string;
  /** Tenants that one can sign in to here. */
  readonly local: readonly string[];
  readonly isOut: boolean;
  /** Where the provider ends its own session. */
  readonly elsewhere: URL | null;
}

const SignInPage = ({ way, to, local, isOut, elsewhere }: SignInProps) => (
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
        <a class="button" href={`/auth/start?${new URLSearchParams({ to })}`}>
          Sign in with {new URL(way.issuer).host}
        </a>
      </p>
    )}
    {way.kind === 'local' && (
      <>
        <p class="notice warn">
          <strong>Local sign-in.</strong> Whoever uses this machine can sign in, without a password. Others cannot reach
          it. For a real sign-in, configure <code>OIDC_ISSUER</code>.
        </p>
        <form method="post" action={SIGN_IN} class="buttons">
          <input type="hidden" name="to" value={to} />
          {local.length === 0 && <button type="submit">Sign in on this machine</button>}
          {local.map((tenant) => (
            <button type="submit" name="tenant" value={tenant}>
              Sign in to tenant {tenant}
            </button>
          ))}
        </form>
      </>
    )}
    {way.kind === 'none' && (
      <p class="notice">
        No sign-in is configured. Set <code>OIDC_ISSUER</code> for an identity provider, or, on your own machine,{' '}
        <code>LOCAL_SIGN_IN=true</code>.
      </p>
    )}
  </Page>
);
