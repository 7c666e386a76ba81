/**
 * The HTTP application of an instance: its routes. Importing it does no I/O.
 */
import { Hono } from 'hono';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { getPath } from 'hono/utils/url';
import type { DashboardDeps } from '../dashboard/env.ts';
import { onFirstUse } from '../domain/firstUse.ts';
import type { Need } from '../domain/rights.ts';
import { wholeForm } from '../http/browsers.ts';
import { type ObserveDeps, observePages } from '../http/call/observe.ts';
import { asIs } from '../http/call/reply.ts';
import { mount, openRoute, type Route, route } from '../http/call/route.ts';
import type { AppEnv, HealthDeps, HttpDeps } from '../http/deps.ts';
import { onError } from '../http/errors.ts';
import { bookingRoutes } from '../http/routes/bookings.ts';
import { setConditionRoute } from '../http/routes/conditions.ts';
import { docsRoutes } from '../http/routes/docs.ts';
import { eventsRoute } from '../http/routes/events.ts';
import { historyRoute } from '../http/routes/history.ts';
import { withoutAdministration, withoutIssuers, withoutSlack, withoutTenants } from '../http/routes/needsDatabase.ts';
import {
  activeReservationsRoute,
  cancelRoute,
  checkRoute,
  renewRoute,
  reserveRoute,
  resetRoute,
  transactionRoute,
  unreserveRoute,
  waitingRoute,
} from '../http/routes/reservations.ts';
import { availableRoute, definitionsRoute, deleteRoute, registerRoute, treeRoute } from '../http/routes/resources.ts';
import { healthRoutes, versionRoute } from '../http/routes/service.ts';
import { sessionRoutes } from '../http/routes/sessions.ts';
import { usageRoute } from '../http/routes/usage.ts';
import { refuseUnknown } from '../http/unknownPaths.ts';
import { mcpRoute } from '../mcp/endpoint.ts';

type AppDeps = HttpDeps & DashboardDeps;

/** Answers requests, as Hono's applications do. */
export type App = Pick<Hono<AppEnv>, 'fetch' | 'routes'>;

/** The application of an instance that only runs jobs: health checks. */
export function createHealthApp(deps: HealthDeps): App {
  const app = new Hono<AppEnv>({ router: new RegExpRouter() });
  app.onError(onError(deps.log));
  mount(app, deps, serviceRoutes(deps));
  app.notFound(
    unknown(
      '/*',
      refuseUnknown(() => app.routes),
    ).handler(deps),
  );
  return app;
}

const serviceRoutes = ({ ready, alive }: HealthDeps) => [...healthRoutes(ready, alive), versionRoute()];

/** The paths of the dashboard, in any letter case, and those of the documents. */
const PAGES = /^\/(?:(?:dashboard|auth|join)(?:\/.*)?)?$/i;
const DOCS = /^\/(?:docs(?:\/.*)?|openapi\.json)$/;

/** The application of an instance that serves the API. The dashboard is loaded at the first request for a page. */
export async function createApp(deps: AppDeps): Promise<App> {
  const docs = pagesApp(deps).route('/', docsRoutes(docsDeps(deps)));
  const api = await createApi(deps, docs);
  const pages = onFirstUse(async () => {
    const { dashboardRoutes } = await import('../dashboard/routes.tsx');
    const app = pagesApp(deps);
    for (const path of ['/dashboard/*', '/auth/*', '/join/*']) app.use(path, wholeForm(deps.sizes.bodyBytes));
    return app.route('/', dashboardRoutes(deps));
  });
  return {
    routes: api.routes,
    fetch: (request, ...rest) => {
      const path = getPath(request);
      if (path.startsWith('/api/')) return api.fetch(request, ...rest);
      if (PAGES.test(path)) return pages().then((app) => app.fetch(request, ...rest));
      return (DOCS.test(path) ? docs : api).fetch(request, ...rest);
    },
  };
}

/** An application of pages, whose routes may have middleware. */
function pagesApp(deps: ObserveDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const refuse = refuseUnknown(() => app.routes);
  const answerError = onError(deps.log);
  app.onError(answerError);
  app.notFound((c) => answerError(refuse(c.req.method, c.req.path), c));
  return app.use(observePages(deps));
}

async function createApi(deps: AppDeps, docs: Hono<AppEnv>): Promise<App> {
  // By itself, Hono would choose a slower one, without a word, as soon as this one cannot take a route.
  const app = new Hono<AppEnv>({ router: new RegExpRouter() });
  app.onError(onError(deps.log));
  mount(app, deps, [...serviceRoutes(deps), ...(await apiRoutes(deps))]);
  const refuse = refuseUnknown(() => [...app.routes, ...docs.routes]);
  const ofAdministration = unknownInApi('/api/v1/admin/*', 'administrator', refuse).handler(deps);
  const ofApi = unknownInApi('/api/v1/*', 'usage', refuse).handler(deps);
  const others = unknown('/*', refuse).handler(deps);
  app.notFound((c) => {
    const path = `${c.req.path}/`;
    if (path.startsWith('/api/v1/admin/')) return ofAdministration(c);
    return path.startsWith('/api/v1/') ? ofApi(c) : others(c);
  });
  return app;
}

type Refuse = ReturnType<typeof refuseUnknown>;

/** Answers requests for unknown paths. */
const unknown = (path: string, refuse: Refuse): Route<ObserveDeps> =>
  openRoute({ method: 'all', path }, (call) => Promise.reject(refuse(call.method, call.path)), asIs);

/** The same in the API, where a caller must be known to learn what the path should be. */
const unknownInApi = (path: string, right: Need, refuse: Refuse): Route =>
  route({ method: 'all', path, right }, (call) => Promise.reject(refuse(call.method, call.path)), asIs);

async function apiRoutes(deps: AppDeps): Promise<Route[]> {
  const { tenants, jwtVerifier } = deps;
  return [
    mcpRoute(deps),
    ...(jwtVerifier === null
      ? [withoutIssuers()]
      : await import('../http/routes/token.ts').then(({ tokenRoute, endTokenRoute }) => [
          tokenRoute(deps, jwtVerifier),
          endTokenRoute(deps),
        ])),
    reserveRoute(deps),
    unreserveRoute(deps),
    renewRoute(deps),
    transactionRoute(deps),
    checkRoute(deps),
    activeReservationsRoute(deps),
    historyRoute(deps),
    cancelRoute(deps),
    waitingRoute(deps),
    resetRoute(deps),
    ...sessionRoutes(deps),
    ...bookingRoutes(deps),
    registerRoute(deps),
    setConditionRoute(deps),
    definitionsRoute(deps),
    treeRoute(deps),
    availableRoute(deps),
    usageRoute(deps),
    deleteRoute(deps),
    eventsRoute(deps),
    ...(tenants === null
      ? [withoutAdministration(), withoutSlack(), ...withoutTenants(deps)]
      : (await import('./tenantRoutes.ts')).tenantRoutes(deps, tenants)),
  ];
}

function docsDeps({ tenants, jwtVerifier, signIn, publicUrl, sizes, ...deps }: AppDeps) {
  const sessionCookie = tenants === null ? null : deps.sessionCookie;
  const described = { sizes, hasIssuers: jwtVerifier !== null, sessionCookie };
  return {
    document: async () => (await import('../http/openapi/openapi.ts')).openapiDocument(described),
    publicUrl,
    keysPage: tenants === null || signIn.kind === 'none' ? null : '/dashboard/keys',
  };
}
