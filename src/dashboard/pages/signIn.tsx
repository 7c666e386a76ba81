/**
 * Signing in and out (docs/specification.md#dashboard-and-sign-in): at an OpenID Connect provider, by an API
 * key or on this machine, whichever is configured.
 */
import { Hono } from 'hono';
import { SignInPage } from '../components/signInPage.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { ownPath } from '../paths.ts';
import { signOut } from '../session/startSession.ts';
import { SIGN_IN } from '../viewer.ts';
import { keyRoutes } from './signInKey.ts';
import { localRoutes } from './signInLocal.ts';
import { oidcRoutes } from './signInOidc.ts';

export const signInRoutes = (deps: DashboardDeps) => {
  const { signIn, publicUrl, configuredKeys } = deps;
  const app = new Hono<DashboardEnv>();
  const local = [...new Set(configuredKeys.map(({ tenant }) => tenant))];

  app.get(SIGN_IN, async (c) => {
    const to = ownPath(c.req.query('to'));
    const token = c.req.query('token') ?? '';
    const isOut = c.req.query('out') !== undefined;
    const elsewhere = isOut && signIn.kind === 'oidc' ? await signIn.client.endUrl(`${publicUrl}${SIGN_IN}`) : null;
    return c.html(<SignInPage {...{ way: signIn, to, token, local, isOut, elsewhere }} />);
  });

  app.post('/dashboard/sign-out', async (c) => {
    await signOut(deps, c);
    return c.redirect(`${SIGN_IN}?out`, 303);
  });

  if (signIn.kind === 'local') app.route('/', localRoutes(deps, signIn.token));
  if (signIn.kind === 'key') app.route('/', keyRoutes(deps));
  if (signIn.kind === 'oidc') app.route('/', oidcRoutes(deps, signIn));
  return app;
};
