/**
 * The dashboard (docs/specification.md#identity): pages for people, at /dashboard. Nothing in them comes from another
 * host, and their policy holds the browser to that.
 */
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import { ZodError } from 'zod';
import { type ErrorCode, HoldfastError, LimitError } from '../domain/errors.ts';
import { assetRoutes } from './assets.ts';
import type { DashboardDeps, DashboardEnv } from './env.ts';
import { keysRoutes } from './pages/keys.tsx';
import { liveRoutes } from './pages/live.tsx';
import { overviewRoutes } from './pages/overview.tsx';
import { type Problem, ProblemPage } from './pages/problem.tsx';
import { reservationsRoutes } from './pages/reservations.tsx';
import { resourceRoutes } from './pages/resource.tsx';
import { resourcesRoutes } from './pages/resources.tsx';
import { settingsRoutes } from './pages/settings.tsx';
import { signInRoutes } from './pages/signIn.tsx';
import { tenantsRoutes } from './pages/tenants.tsx';
import { signInPath, viewer } from './viewer.ts';

const SELF = ["'self'"];
const NONE = ["'none'"];

export function dashboardRoutes(deps: DashboardDeps): Hono<DashboardEnv> {
  const app = new Hono<DashboardEnv>();

  app.onError((error, c) => {
    if (error instanceof HoldfastError && error.code === 'unauthenticated') return c.redirect(signInPath(c), 303);
    const problem = problemOf(error);
    if (error instanceof LimitError) c.header('Retry-After', String(error.hit.retryAfter));
    if (problem.status === 503) c.header('Retry-After', '1');
    if (problem.status >= 500) c.var.log.error({ requestId: c.var.requestId, err: error }, 'page failed');
    return c.html(<ProblemPage {...problem} viewer={c.var.viewer ?? null} />, problem.status);
  });

  const headers = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: NONE,
      scriptSrc: SELF,
      styleSrc: SELF,
      imgSrc: SELF,
      connectSrc: SELF,
      formAction: SELF,
      baseUri: NONE,
      frameAncestors: NONE,
    },
    referrerPolicy: 'same-origin',
    xFrameOptions: 'DENY',
    // Whoever stands before us with TLS decides that for the whole host.
    strictTransportSecurity: false,
  });
  const tooLarge = bodyLimit({
    maxSize: deps.sizes.bodyBytes,
    onError: (c) =>
      // What is left of it is not read, so no other request can follow it.
      c.html(<ProblemPage status={413} title="Refused" text="The form is too large." viewer={null} />, 413, {
        Connection: 'close',
      }),
  });
  for (const path of ['/dashboard/*', '/auth/*'])
    app.use(path, headers, tooLarge, async (c, next) => {
      await next();
      if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
    });

  app.get('/', (c) => c.redirect('/dashboard'));
  app.route('/', assetRoutes());
  app.route('/', signInRoutes(deps));
  app.use('/dashboard/*', viewer(deps));
  app.route('/', overviewRoutes(deps));
  app.route('/', liveRoutes(deps));
  app.route('/', reservationsRoutes(deps));
  app.route('/', resourcesRoutes(deps));
  app.route('/', resourceRoutes(deps));
  app.route('/', keysRoutes(deps));
  app.route('/', settingsRoutes(deps));
  app.route('/', tenantsRoutes(deps));
  app.all('/dashboard/*', () => {
    throw new HoldfastError('unknown', 'There is no such page.');
  });
  return app;
}

const PROBLEMS: Record<Exclude<ErrorCode, 'unauthenticated'>, Pick<Problem, 'status' | 'title'>> = {
  forbidden: { status: 403, title: 'Not for you' },
  upgrade: { status: 403, title: 'Not in this tier' },
  refused: { status: 400, title: 'Refused' },
  unregistered: { status: 404, title: 'Not found' },
  unknown: { status: 404, title: 'Not found' },
  limited: { status: 429, title: 'A limit is reached' },
  unavailable: { status: 503, title: 'Not available' },
};

/** A page changes nothing; and forms are told by the API. */
const AWAY = 'Something that this page needs cannot be reached just now. Try again in a moment.';

function problemOf(error: unknown): Problem {
  if (error instanceof HoldfastError && error.code !== 'unauthenticated')
    return { ...PROBLEMS[error.code], text: error.code === 'unavailable' ? AWAY : error.message };
  if (error instanceof ZodError)
    return { status: 400, title: 'Refused', text: 'The form or the address is malformed.' };
  return { status: 500, title: 'That did not work', text: 'A fault of the service. It has been noted.' };
}
