/**
 * Lets only people through who have signed in (docs/specification.md#operations), and for what is about all tenants
 * only administrators.
 */
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../../domain/errors.ts';
import { readSession } from '../../engine/tenant/sessions.ts';
import { type AdminRule, adminStanding } from '../../identity/admins.ts';
import type { AppEnv, HttpDeps } from '../env.ts';

/** @throws HoldfastError forbidden, for a key or token; unauthenticated, where the session has ended */
export const bySession = ({ engine }: Pick<HttpDeps, 'engine'>) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const credential = c.get('credential');
    if (credential.kind !== 'session') throw new HoldfastError('forbidden', 'This takes a session of the dashboard.');
    const user = await readSession(engine.redis, credential);
    if (user === null) throw new HoldfastError('unauthenticated', 'The session has ended.');
    c.set('user', user);
    await next();
  });

const LAPSED = 'Administrators have to sign in again after 15 minutes: open /dashboard/tenants.';

/** To follow bySession. @throws HoldfastError forbidden */
export const byAdmin = (rule: AdminRule) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const standing = adminStanding(rule, c.get('user'));
    if (standing === 'lapsed') throw new HoldfastError('forbidden', LAPSED);
    if (standing !== 'admin') throw new HoldfastError('forbidden', 'This takes an administrator.');
    await next();
  });

/** Who acts, for the audit trail. */
export const actorName = (role: 'user' | 'admin', { email, subject }: AppEnv['Variables']['user']): string =>
  `${role}:${email ?? subject}`;
