/**
 * Signs in the person who uses this machine, without a password.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { isThisMachine } from '../../config/machine.ts';
import { HoldfastError } from '../../domain/errors.ts';
import { LOCAL_ISSUER, LOCAL_SUBJECT } from '../../domain/names.ts';
import type { SessionUser } from '../../engine/tenant/signIns.ts';
import { refuseForeignOrigin } from '../../http/sameOrigin.ts';
import { findOrCreateUser } from '../../store/users.ts';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { readForm } from '../form.ts';
import { ownPath } from '../ownPath.ts';
import { newDefaultKey, SESSION_MS, startSession } from '../startSession.ts';
import { SIGN_IN } from '../viewer.ts';

const LocalForm = z.object({ tenant: z.string().optional(), to: z.string().optional() });

const LOCAL_USER: Omit<SessionUser, 'id' | 'describedUntilMs'> = {
  issuer: LOCAL_ISSUER,
  subject: LOCAL_SUBJECT,
  email: null,
  name: 'Local user',
  groups: [],
  role: 'owner',
};

export const localRoutes = (deps: DashboardDeps) =>
  new Hono<DashboardEnv>().post(SIGN_IN, async (c) => {
    refuseForeignOrigin(c);
    refuseOtherMachines(c);
    const form = await readForm(c, LocalForm);
    const { tenant, id } = await findLocalUser(deps, form.tenant ?? '');
    const to = ownPath(form.to);
    return startSession(deps, c, { tenant, user: { ...LOCAL_USER, id }, describedForMs: SESSION_MS, to });
  });

/**
 * @param named the tenant that the form names; with a database there is one tenant for the local user
 * @throws HoldfastError unknown, unavailable
 */
async function findLocalUser({ tenants, knowsTenant }: Pick<DashboardDeps, 'tenants' | 'knowsTenant'>, named: string) {
  if (tenants !== null) return findOrCreateUser(tenants.store, LOCAL_USER, newDefaultKey(tenants.sealer));
  if (!knowsTenant(named)) throw new HoldfastError('unknown', 'There is no such tenant.');
  return { tenant: named, id: LOCAL_SUBJECT };
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
