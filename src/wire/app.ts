/**
 * The HTTP application of an instance: its routes and middleware. Importing it does no I/O.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import type { Router } from 'hono/router';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { TrieRouter } from 'hono/router/trie-router';
import type { H, RouterRoute } from 'hono/types';
import { getPath } from 'hono/utils/url';
import type { DashboardDeps } from '../dashboard/env.ts';
import { onFirstUse } from '../domain/firstUse.ts';
import type { HealthDeps, HttpDeps } from '../http/deps.ts';
import type { AppEnv } from '../http/env.ts';
import { fail, onError, refuseMalformed } from '../http/errors.ts';
import { meantPath } from '../http/meantPath.ts';
import { identifyCallers } from '../http/middleware/identifyCallers.ts';
import { observeRequests } from '../http/middleware/observeRequests.ts';
import { rateLimitHeaders } from '../http/middleware/rateLimitHeaders.ts';
import { traceRequests } from '../http/middleware/traceRequests.ts';
import { wholeBody } from '../http/middleware/wholeBody.ts';
import { docsRoutes } from '../http/routes/docs.ts';
import { eventsRoute } from '../http/routes/events/events.ts';
import { healthRoutes } from '../http/routes/health.ts';
import { withoutAdministration, withoutIssuers, withoutTenants } from '../http/routes/needsDatabase.ts';
import { activeReservationsRoute } from '../http/routes/reservation/activeReservations.ts';
import { cancelRoute } from '../http/routes/reservation/cancel.ts';
import { checkRoute } from '../http/routes/reservation/check.ts';
import { historyRoute } from '../http/routes/reservation/history.ts';
import { renewRoute } from '../http/routes/reservation/renew.ts';
import { reserveRoute } from '../http/routes/reservation/reserve.ts';
import { resetRoute } from '../http/routes/reservation/reset.ts';
import { transactionRoute } from '../http/routes/reservation/transaction.ts';
import { unreserveRoute } from '../http/routes/reservation/unreserve.ts';
import { waitingRoute } from '../http/routes/reservation/waiting.ts';
import { availableRoute } from '../http/routes/resource/available.ts';
import { definitionsRoute } from '../http/routes/resource/definitions.ts';
import { deleteRoute } from '../http/routes/resource/delete.ts';
import { registerRoute } from '../http/routes/resource/register.ts';
import { treeRoute } from '../http/routes/resource/tree.ts';
import { usageRoute } from '../http/routes/resource/usage.ts';
import { beginSessionRoute } from '../http/routes/session/begin.ts';
import { endSessionRoute } from '../http/routes/session/end.ts';
import { sessionsRoute } from '../http/routes/session/list.ts';
import { renewSessionRoute } from '../http/routes/session/renew.ts';

import { versionRoute } from '../http/routes/version.ts';
import { mcpRoute } from '../mcp/endpoint.ts';

/**
 * The application of an instance that only runs jobs: health checks.
 * @param router a fast one may refuse some routes
 */
export function createHealthApp(
  { log, logRequests, ready, alive, metrics, traces }: HealthDeps,
  router: Router<[H, RouterRoute]> = new TrieRouter(),
): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>({
    router,
    defaultHook: (result, c) => (result.success ? undefined : refuseMalformed(c, result.error)),
  });
  app.onError(onError);
  const meant = meantPath(app);
  const notFound = (c: Context<AppEnv>, path = meant(c.req.path)) =>
    fail(c, 404, 'PATH_NOT_FOUND', `There is nothing at this path.${path === null ? '' : ` Did you mean ${path}?`}`);
  const notAllowed = methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) => {
      // The name of a resource may stand where an operation was meant: GET /api/v1/Resource/Definitions.
      const path = meant(c.req.path, c.req.method);
      if (path !== null) return notFound(c, path);
      return fail(c, 405, 'METHOD_NOT_ALLOWED', 'This method is not allowed here.', { Allow: methods.join(', ') });
    },
  });
  // As a middleware, it would take 1 KiB of each call that is held.
  app.notFound(async (c) => {
    await notAllowed(c, async () => {
      c.res = notFound(c);
    });
    return c.res;
  });
  app.use(observeRequests({ log, logRequests, metrics }));
  if (traces !== null) app.use(traceRequests(traces));
  app.route('/', healthRoutes(ready, alive));
  app.route('/', versionRoute());
  return app;
}

type AppDeps = HttpDeps & DashboardDeps;

/** Answers requests, as Hono's applications do. */
export type App = Pick<OpenAPIHono<AppEnv>, 'fetch'>;

/** The paths of the dashboard, in any letter case. */
const PAGES = /^\/(?:(?:dashboard|auth|join)(?:\/.*)?)?$/i;

/** The application of an instance that serves the API. The dashboard is loaded at the first request for a page. */
export async function createApp(deps: AppDeps): Promise<App> {
  const api = await createApi(deps);
  const pages = onFirstUse(async () => {
    const { dashboardRoutes } = await import('../dashboard/routes.tsx');
    const app = createHealthApp(deps);
    for (const path of ['/dashboard/*', '/auth/*', '/join/*']) app.use(path, wholeBody(deps.sizes.bodyBytes));
    return app.route('/', dashboardRoutes(deps));
  });
  return {
    fetch: (request, ...rest) =>
      PAGES.test(getPath(request)) ? pages().then((app) => app.fetch(request, ...rest)) : api.fetch(request, ...rest),
  };
}

async function createApi(deps: AppDeps): Promise<App> {
  // By itself, Hono would choose a slower one, without a word, as soon as this one cannot take a route.
  const app = createHealthApp(deps, new RegExpRouter());
  const { tenants, jwtVerifier } = deps;

  app.route('/', mcpRoute(deps));

  app.use('/api/v1/*', rateLimitHeaders);
  if (jwtVerifier === null) app.route('/', withoutIssuers());
  else app.route('/', (await import('../http/routes/auth/token.ts')).tokenRoute(deps, jwtVerifier));
  if (tenants === null) app.route('/', withoutAdministration());
  app.use('/api/v1/*', identifyCallers(deps));

  app.route('/', reserveRoute(deps));
  app.route('/', unreserveRoute(deps));
  app.route('/', renewRoute(deps));
  app.route('/', transactionRoute(deps));
  app.route('/', checkRoute(deps));
  app.route('/', activeReservationsRoute(deps));
  app.route('/', historyRoute(deps));
  app.route('/', cancelRoute(deps));
  app.route('/', waitingRoute(deps));
  app.route('/', resetRoute(deps));
  app.route('/', beginSessionRoute(deps));
  app.route('/', renewSessionRoute(deps));
  app.route('/', endSessionRoute(deps));
  app.route('/', sessionsRoute(deps));
  app.route('/', registerRoute(deps));
  app.route('/', definitionsRoute(deps));
  app.route('/', treeRoute(deps));
  app.route('/', availableRoute(deps));
  app.route('/', usageRoute(deps));
  app.route('/', deleteRoute(deps));
  app.route('/', eventsRoute(deps));
  if (tenants === null) {
    app.route('/', withoutTenants(deps));
  } else {
    const { tenantRoutes } = await import('./tenantRoutes.ts');
    app.route('/', tenantRoutes(deps, tenants));
  }
  const { sizes } = deps;
  const sessionCookie = tenants === null ? null : deps.sessionCookie;
  const described = { sizes, hasIssuers: jwtVerifier !== null, sessionCookie };
  const { signIn, publicUrl } = deps;
  app.route(
    '/',
    docsRoutes({
      document: async () => (await import('../http/openapi.ts')).openapiDocument(described),
      publicUrl,
      keysPage: tenants === null || signIn.kind === 'none' ? null : '/dashboard/keys',
    }),
  );
  return app;
}
