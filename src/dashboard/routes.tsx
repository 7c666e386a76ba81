/**
 * The dashboard (docs/specification.md#dashboard-and-sign-in): pages for people, at /dashboard. They load nothing from
 * another host, and their policy makes browsers refuse to.
 */
import { type ErrorHandler, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createMiddleware } from 'hono/factory';
import { secureHeaders } from 'hono/secure-headers';
import { type ErrorCode, HoldfastError } from '../domain/errors.ts';
import { UNSUBSCRIBE_PAGE } from '../domain/personalNotices.ts';
import { isChange, refuseForeignOrigin } from '../http/browsers.ts';
import type { BodyDeps } from '../http/deps.ts';
import { FAILURES, logFault, retryAfter } from '../http/errors.ts';
import { appRoutes } from './app.ts';
import { assetRoutes } from './assets.ts';
import { BOARD } from './board/query.ts';
import { type Problem, ProblemPage } from './components/failurePage.tsx';
import type { DashboardDeps, DashboardEnv } from './env.ts';
import { brokenRoutes } from './pages/actions/broken.tsx';
import { conditionRoutes } from './pages/actions/condition.tsx';
import { endRoutes } from './pages/actions/end.tsx';
import { extendRoutes } from './pages/actions/extend.tsx';
import { reserveRoutes } from './pages/actions/reserve.tsx';
import { takeAwayRoutes } from './pages/actions/takeAway.tsx';
import { togetherRoutes } from './pages/actions/together.tsx';
import { auditRoutes } from './pages/audit.tsx';
import { boardRoutes } from './pages/board.tsx';
import { bookRoutes } from './pages/bookings/book.tsx';
import { cancelRoutes } from './pages/bookings/cancel.tsx';
import { changeRoutes, hereRoutes } from './pages/bookings/change.tsx';
import { demoRoutes } from './pages/demo.tsx';
import { findRoutes } from './pages/find.tsx';
import { historyRoutes } from './pages/history.tsx';
import { insightRoutes } from './pages/insight.tsx';
import { keysRoutes } from './pages/keys.tsx';
import { liveRoutes } from './pages/live.tsx';
import { membersRoutes } from './pages/members.tsx';
import { membershipRoutes } from './pages/membership.tsx';
import { mineRoutes } from './pages/mine.tsx';
import { myNoticesRoutes } from './pages/notices/myNotices.tsx';
import { noticeRoutes } from './pages/notices/notice.tsx';
import { pushRoutes } from './pages/notices/push.tsx';
import { slackAppRoutes } from './pages/notices/slackApp.tsx';
import { subscriptionRoutes } from './pages/notices/subscription.tsx';
import { subscriptionsRoutes } from './pages/notices/subscriptions.tsx';
import { unsubscribeRoutes } from './pages/notices/unsubscribe.tsx';
import { overviewRoutes } from './pages/overview.tsx';
import { qrRoutes } from './pages/qr.tsx';
import { reportRoutes } from './pages/report.tsx';
import { reservationsRoutes } from './pages/reservations.tsx';
import { resourceRoutes } from './pages/resource.tsx';
import { resourcesRoutes } from './pages/resources.tsx';
import { scanRoutes } from './pages/scan.tsx';
import { settingsRoutes } from './pages/settings.tsx';
import { shortcutsRoutes } from './pages/shortcuts.tsx';
import { signInRoutes } from './pages/signIn.tsx';
import { slackRoutes } from './pages/slack.tsx';
import { tenantsRoutes } from './pages/tenants.tsx';
import { tokensRoutes } from './pages/tokens.tsx';
import { tvRoutes, tvStreamRoutes, wallboardsRoutes } from './pages/tv.tsx';
import { SCAN } from './paths.ts';
import { MOVED, PLACES } from './places.ts';
import { needs, signInPath, viewer } from './viewer.ts';

/** The pages, the longest addresses first. */
const PAGES = PLACES.flatMap(({ pages }) => pages).sort((one, other) => other.path.length - one.path.length);

/**
 * Admits people to a page and to the forms below its address, if they have its right.
 * @throws HoldfastError forbidden
 */
const admit = createMiddleware<DashboardEnv>(async (c, next) => {
  const { path } = c.req;
  const page = PAGES.find((one) => path === one.path || (one.path !== BOARD && path.startsWith(`${one.path}/`)));
  return page === undefined ? next() : needs(page.right)(c, next);
});

/** The routes of the pages of people who have signed in. */
const PAGE_ROUTES: readonly ((deps: DashboardDeps) => Hono<DashboardEnv>)[] = [
  boardRoutes,
  mineRoutes,
  myNoticesRoutes,
  pushRoutes,
  noticeRoutes,
  subscriptionsRoutes,
  subscriptionRoutes,
  slackAppRoutes,
  overviewRoutes,
  insightRoutes,
  liveRoutes,
  reservationsRoutes,
  resourcesRoutes,
  resourceRoutes,
  shortcutsRoutes,
  scanRoutes,
  qrRoutes,
  findRoutes,
  historyRoutes,
  reportRoutes,
  togetherRoutes,
  reserveRoutes,
  extendRoutes,
  endRoutes,
  takeAwayRoutes,
  conditionRoutes,
  brokenRoutes,
  bookRoutes,
  changeRoutes,
  cancelRoutes,
  hereRoutes,
  demoRoutes,
  keysRoutes,
  membersRoutes,
  membershipRoutes,
  slackRoutes,
  tokensRoutes,
  wallboardsRoutes,
  settingsRoutes,
  auditRoutes,
  tenantsRoutes,
];

const SELF = ["'self'"];
const NONE = ["'none'"];

export function dashboardRoutes(deps: DashboardDeps): Hono<DashboardEnv> {
  const app = new Hono<DashboardEnv>();
  app.onError(showError);
  app.route('/', tvStreamRoutes(deps));
  for (const path of ['/dashboard/*', '/auth/*', '/join/*'])
    app.use(path, secure, limitForm(deps), async (c, next) => {
      // Mail programs unsubscribe from no page of ours, by a token and without a session.
      if (isChange(c.req.method) && c.req.path !== UNSUBSCRIBE_PAGE) refuseForeignOrigin(c);
      await next();
      if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
    });
  app.get('/', (c) => c.redirect('/dashboard'));
  app.route('/', assetRoutes());
  app.route('/', appRoutes());
  app.route('/', signInRoutes(deps));
  app.route('/', tvRoutes(deps));
  app.route('/', unsubscribeRoutes(deps));
  for (const [from, to] of MOVED)
    app.all(`${from}/*`, (c) => {
      const { pathname, search } = new URL(c.req.url);
      return c.redirect(to + pathname.slice(from.length) + search, 308);
    });
  for (const path of ['/dashboard/*', '/join/*']) app.use(path, viewer(deps));
  app.use('/dashboard/*', admit);
  for (const routes of PAGE_ROUTES) app.route('/', routes(deps));
  app.all('/dashboard/*', () => {
    throw new HoldfastError('unknown', 'There is no such page.');
  });
  return app;
}

const HEADERS = {
  contentSecurityPolicy: {
    defaultSrc: NONE,
    scriptSrc: SELF,
    styleSrc: SELF,
    imgSrc: SELF,
    connectSrc: SELF,
    manifestSrc: SELF,
    formAction: SELF,
    baseUri: NONE,
    frameAncestors: NONE,
  },
  referrerPolicy: 'same-origin' as const,
  xFrameOptions: 'DENY',
  // The proxy that terminates TLS decides this for the whole host.
  strictTransportSecurity: false,
  permissionsPolicy: { camera: false, microphone: false, geolocation: false, payment: false },
};
const WITHOUT_CAMERA = secureHeaders(HEADERS);
const WITH_CAMERA = secureHeaders({
  ...HEADERS,
  permissionsPolicy: { ...HEADERS.permissionsPolicy, camera: ['self'] },
});

const secure = createMiddleware((c, next) => (c.req.path === SCAN ? WITH_CAMERA : WITHOUT_CAMERA)(c, next));

const limitForm = ({ sizes }: Pick<BodyDeps, 'sizes'>) =>
  bodyLimit({
    maxSize: sizes.bodyBytes,
    onError: (c) =>
      // The rest of the form is not read, so no other request can follow on this connection.
      c.html(<ProblemPage status={413} title="Refused" text="The form is too large." viewer={null} />, 413, {
        Connection: 'close',
      }),
  });

/** Shows the page of an error. People who are not signed in are sent to sign in. */
const showError: ErrorHandler<DashboardEnv> = (error, c) => {
  if (error instanceof HoldfastError && error.code === 'unauthenticated') return c.redirect(signInPath(c), 303);
  const problem = problemOf(error);
  if (problem.status === 500) logFault(c.var, error, 'page failed');
  return c.html(<ProblemPage {...problem} viewer={c.var.viewer ?? null} />, problem.status, retryAfter(error));
};

const TITLES: Readonly<Record<ErrorCode, string>> = {
  unauthenticated: 'Not signed in',
  forbidden: 'Not allowed',
  upgrade: 'Not in this tier',
  refused: 'Refused',
  unregistered: 'Not found',
  unknown: 'Not found',
  limited: 'A limit is reached',
  mismatch: 'Refused',
  running: 'Refused',
  notKept: 'Refused',
  overloaded: 'Not available',
  unavailable: 'Not available',
};

/** A page changes nothing, so the API's warning that the outcome is unknown would mislead. */
const UNAVAILABLE = 'Something that this page needs cannot be reached. Try again in a moment.';

function problemOf(error: unknown): Problem {
  if (error instanceof HoldfastError) {
    const text = error.code === 'unavailable' ? UNAVAILABLE : error.message;
    return { status: FAILURES[error.code].status, title: TITLES[error.code], text };
  }
  return { status: 500, title: 'That did not work', text: 'An internal error. It has been logged.' };
}
