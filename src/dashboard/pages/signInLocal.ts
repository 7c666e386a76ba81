/**
 * Signs in the person who uses this machine, without a password.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { isThisMachine } from '../../config/machine.ts';
import { HoldfastError } from '../../domain/errors.ts';
import type { Person } from '../../domain/memberships.ts';
import { LOCAL_ISSUER, LOCAL_SUBJECT } from '../../domain/names.ts';
import { type SessionUser, SIGN_IN_MS } from '../../engine/tenant/signIns.ts';
import { clientAddress } from '../../http/clientAddress.ts';
import { refuseForeignOrigin } from '../../http/sameOrigin.ts';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { readForm } from '../form.ts';
import { ownPath } from '../ownPath.ts';
import { startSession } from '../startSession.ts';
import { SIGN_IN } from '../viewer.ts';

const LocalForm = z.object({ tenant: z.string().optional(), to: z.string().optional() });

/** Who signs in without an identity provider. */
export const LOCAL_USER: Person = {
  issuer: LOCAL_ISSUER,
  subject: LOCAL_SUBJECT,
  email: null,
  name: 'Local user',
  groups: [],
};

export const localRoutes = (deps: DashboardDeps) =>
  new Hono<DashboardEnv>().post(SIGN_IN, async (c) => {
    refuseForeignOrigin(c);
    refuseOtherMachines(c);
    const form = await readForm(c, LocalForm);
    const address = clientAddress(c, deps.trustedProxies);
    const { tenant, user } = await findUser(deps, LOCAL_USER, form.tenant, address);
    return startSession(deps, c, { tenant, user, to: ownPath(form.to) });
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
  const { tenant, role } = chosen;
  const describedUntilMs = Date.now() + SIGN_IN_MS;
  return { tenant, user: { ...person, id, role, joined: [], hasSeveral: all.length > 1, describedUntilMs } };
}

/** Headers in which proxies, tunnels and delivery networks name the client. Browsers send none of them. */
const BY_A_PROXY =
  /^(?:via|forwarded|x-forward.*|x-original-.*|x-envoy-.*|x-proxy.*|proxy-.*|cf-.*|fly-.*|fastly-.*|x-amzn-.*|x-azure-.*|x-arr-.*|x-vercel-.*|ngrok-.*|tailscale-.*|.*-(?:ip|addr|address)|.*-(?:client|connecting|real|remote|source)-ip.*)$/;

/**
 * Refuses requests that do not come from this machine: also those that a proxy forwards, and those of a page whose host
 * name was made to resolve to this machine.
 * @throws HoldfastError forbidden
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
