/**
 * Moves a person to another tenant of theirs: their session there replaces the one here, and ends when that would have
 * ended (docs/specification.md#members).
 */
import type { Context } from 'hono';
import { HoldfastError } from '../../domain/errors.ts';
import { signInLastsMs } from '../../engine/tenant/signIns.ts';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { startSession } from './startSession.ts';

/**
 * @param page of the dashboard, to which it leads
 * @throws HoldfastError unknown if they are no member there; unauthenticated, unavailable
 */
export async function switchTenant(
  deps: DashboardDeps,
  c: Context<DashboardEnv>,
  to: string,
  page = '/dashboard',
): Promise<Response> {
  const { user, credential, joined } = c.var.viewer;
  const memberships = await deps.memberships.of(user);
  const there = memberships.find(({ tenant }) => tenant === to);
  if (there === undefined) throw new HoldfastError('unknown', 'You are no member of this tenant.');
  const lifetimeMs = await signInLastsMs(deps.engine, credential);
  if (lifetimeMs === 0) throw new HoldfastError('unauthenticated', 'The session has ended.');
  await deps.memberships.prefer(user, to);
  const others = joined.filter(({ tenant }) => tenant !== to);
  const { role, name: tenantName } = there;
  const here = { ...user, role, tenantName, joined: others, hasSeveral: memberships.length > 1 };
  return startSession(deps, c, { tenant: to, user: here, lifetimeMs, to: page });
}
