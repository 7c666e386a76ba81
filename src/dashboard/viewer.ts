/**
 * Finds the person who looks at a page by the session cookie, and sends others to sign in. A page costs one read.
 */
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../domain/errors.ts';
import { RIGHTS_OF_ROLE, type Right } from '../domain/rights.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Engine } from '../engine/engine.ts';
import { actorNameOf, requesterOf, type SessionUser, SIGN_IN_MS } from '../engine/tenant/signIns.ts';
import { standings, waitingPage } from '../engine/waiting/list.ts';
import { clientAddress } from '../http/admission/clientAddress.ts';
import { isChange } from '../http/browsers.ts';
import { adminStanding } from '../identity/admins.ts';
import { parseSession } from '../identity/credentials.ts';
import { signedInUser } from '../operations/permissions.ts';
import { lastChange } from './actions/setCondition.ts';
import { latestReleases, stillOpen } from './actions/undo.ts';
import { readTroubles } from './bookings/troubles.ts';
import type { DashboardDeps, DashboardEnv, OwnStanding, Viewer } from './env.ts';
import { requestersOf } from './people.ts';
import { cookieOptions } from './session/device.ts';
import { joinedReadCookie } from './session/startSession.ts';

/** Where people sign in, and where administrators find tenants. */
export const SIGN_IN = '/dashboard/sign-in';
export const TENANTS = '/dashboard/tenants';

const SWITCH = '/dashboard/switch';
const JOIN = '/join/';

type ViewerDeps = Pick<
  DashboardDeps,
  | 'engine'
  | 'reads'
  | 'roleNow'
  | 'adminRule'
  | 'memberships'
  | 'publicUrl'
  | 'sessionCookie'
  | 'tenants'
  | 'trustedProxies'
>;

/** @throws HoldfastError unauthenticated, unavailable; LimitError */
export const viewer = ({
  engine,
  reads,
  roleNow,
  adminRule,
  memberships,
  publicUrl,
  sessionCookie,
  tenants,
  trustedProxies,
}: ViewerDeps) =>
  createMiddleware<DashboardEnv>(async (c, next) => {
    const session = parseSession(getCookie(c, sessionCookie) ?? '');
    const user = session && (await signedInUser({ engine, roleNow }, session));
    if (session === null || user === null) throw new HoldfastError('unauthenticated', 'Nobody is signed in.');
    const address = clientAddress(c, trustedProxies);
    const standing = adminStanding(adminRule, user);
    const actor = actorNameOf('person', user);
    const credential = { ...session, address, actor };
    c.set('credential', credential);
    // A page does without the switcher rather than fail.
    const others = user.hasSeveral ? await memberships.of(user).catch(() => []) : [];
    const isRead = getCookie(c, joinedReadCookie(publicUrl)) !== undefined;
    const belongs = (tenant: string) => tenant === session.tenant || others.some((one) => one.tenant === tenant);
    const joined = isRead ? [] : user.joined.filter(({ tenant }) => belongs(tenant));
    const { pathname, search } = new URL(c.req.url);
    const page = pathname + search;
    const person = {
      credential,
      userId: user.id,
      user,
      standing,
      actor,
      address,
      memberships: others,
      joined,
      mayLeave: tenants !== null,
      standings: [],
      troubles: [],
      releases: latestReleases(c, publicUrl),
      changed: lastChange(c, publicUrl),
      page,
    };
    c.set('viewer', person);
    // An administrator whose own tenant is suspended can still end that, and everybody can leave a tenant that is
    // suspended or has used up its quota for another one.
    const { path } = c.req;
    const isFree = (standing === 'admin' && path.startsWith(TENANTS)) || path === SWITCH || path.startsWith(JOIN);
    if (!isFree) await reads.charge(credential, null);
    // A page does without the person's turns, bookings, and what they can take back, rather than fail.
    if (!isFree && !isChange(c.req.method) && may(person, 'reserve')) {
      const [turns, troubles, releases] = await Promise.all([
        ownStandings(engine, credential, user).catch(() => []),
        readTroubles(engine, credential, requestersOf(user)).catch(() => []),
        stillOpen(engine, credential, person.releases).catch(() => []),
      ]);
      c.set('viewer', { ...person, standings: turns, troubles, releases });
    }
    await next();
    // Said once.
    if (joined.length > 0 && c.res.status === 200 && c.res.headers.get('Content-Type')?.startsWith('text/html'))
      setCookie(c, joinedReadCookie(publicUrl), 'yes', cookieOptions(publicUrl, SIGN_IN_MS));
  });

/** Reads where the person's requests stand. Who is next is read only for what is granted, which is seldom. */
async function ownStandings(engine: Engine, credential: Credential, user: SessionUser): Promise<OwnStanding[]> {
  const requester = requesterOf(user);
  const own = await standings(engine, credential, requester);
  return Promise.all(
    own.map(async (standing) => {
      const [resource] = standing.resources;
      if (!standing.isGranted || resource === undefined) return standing;
      const { rows, next } = await waitingPage(engine, credential, { resource });
      const other = rows.find((row) => row.requester !== requester)?.requester;
      return { ...standing, next: other ?? (next === undefined ? null : undefined) };
    }),
  );
}

/** True if a person's role gives them a right. */
export const may = ({ user }: Viewer, right: Right): boolean => RIGHTS_OF_ROLE[user.role].includes(right);

/** Admits only people with a right. @throws HoldfastError forbidden */
export const needs = (right: Right) =>
  createMiddleware<DashboardEnv>(async (c, next) => {
    if (!may(c.var.viewer, right))
      throw new HoldfastError('forbidden', 'Your role in this tenant does not allow this.');
    await next();
  });

/** The address that makes the provider identify a person again, and then leads back to a page. */
export const startPath = (to: string): string => `/auth/start?${new URLSearchParams({ to })}`;

/** The address of the sign-in page that leads back to the requested page. */
export function signInPath(c: Context<DashboardEnv>): string {
  const { pathname, search } = new URL(c.req.url);
  const to = isChange(c.req.method) ? '/dashboard' : pathname + search;
  return to === '/dashboard' ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ to })}`;
}
