/**
 * Signs in the person who has the link that the start printed, without a password.
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import type { Person } from '../../domain/memberships.ts';
import { LOCAL_ISSUER, LOCAL_SUBJECT } from '../../domain/names.ts';
import { type SessionUser, SIGN_IN_MS } from '../../engine/tenant/signIns.ts';
import { clientAddress } from '../../http/admission/clientAddress.ts';
import type { OneTimeToken } from '../../identity/credentials.ts';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { readForm } from '../form.ts';
import { ownPath } from '../paths.ts';
import { startSession } from '../session/startSession.ts';
import { SIGN_IN } from '../viewer.ts';

const LocalForm = z.object({ token: z.string(), tenant: z.string().optional(), to: z.string().optional() });

/** Who signs in without an identity provider. */
export const LOCAL_USER: Person = {
  issuer: LOCAL_ISSUER,
  subject: LOCAL_SUBJECT,
  email: null,
  name: 'Local user',
  groups: [],
};

const usedUp = () =>
  new HoldfastError('forbidden', 'This link has been used, or another start of Holdfast printed it.');

/** Opening the link changes nothing, since browsers and scanners open links in advance. Its form takes the token. */
export const localRoutes = (deps: DashboardDeps, signInToken: OneTimeToken) =>
  new Hono<DashboardEnv>().post(SIGN_IN, async (c) => {
    const { token, tenant: named, to } = await readForm(c, LocalForm);
    if (!signInToken.isCurrent(token)) throw usedUp();
    const address = clientAddress(c, deps.trustedProxies);
    const { tenant, user } = await findUser(deps, LOCAL_USER, named, address);
    // Only now: a fault until here leaves the link as it is.
    if (!signInToken.take(token)) throw usedUp();
    return startSession(deps, c, { tenant, user, to: ownPath(to) });
  });

/**
 * Finds the memberships of a person, and the tenant to open.
 * @param named the tenant that the form names; undefined: the one that was opened last
 * @throws HoldfastError forbidden, unknown, unavailable
 */
export async function findUser(
  { memberships }: Pick<DashboardDeps, 'memberships'>,
  person: Person,
  named: string | undefined,
  address: string,
): Promise<{ tenant: string; user: SessionUser }> {
  const { userId: id, open, memberships: all } = await memberships.admit(person, address);
  const chosen = named === undefined ? open : all.find(({ tenant }) => tenant === named);
  if (chosen === undefined) throw new HoldfastError('unknown', 'There is no such tenant.');
  const { tenant, name: tenantName, role } = chosen;
  const describedUntilMs = Date.now() + SIGN_IN_MS;
  const user = { ...person, id, role, tenantName, joined: [], hasSeveral: all.length > 1, describedUntilMs };
  return { tenant, user };
}
