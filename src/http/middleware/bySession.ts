/**
 * Admits only people who have signed in (docs/specification.md#tenants-and-administration); to operations on all
 * tenants, only administrators.
 */
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../../domain/errors.ts';
import { readSignIn } from '../../engine/tenant/signIns.ts';
import { type AdminRule, adminStanding } from '../../identity/admins.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import type { Person } from '../../operations/person.ts';
import type { AppEnv } from '../env.ts';

/**
 * Sets `user`.
 * @throws HoldfastError forbidden for a key or token; unauthenticated if the session has ended
 */
export const bySession = ({ engine }: Pick<OperationDeps, 'engine'>) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const credential = c.get('credential');
    if (credential.kind !== 'session') throw new HoldfastError('forbidden', 'This takes a session of the dashboard.');
    const user = await readSignIn(engine, credential);
    if (user === null) throw new HoldfastError('unauthenticated', 'The session has ended.');
    c.set('user', user);
    await next();
  });

/** The person who makes a request. Use it after bySession. */
export const personOf = (c: { readonly var: Pick<AppEnv['Variables'], 'credential' | 'user'> }): Person => ({
  credential: c.var.credential,
  user: c.var.user,
});

const LAPSED = 'Administrators have to sign in again after 15 minutes: open /dashboard/tenants.';

/** Use it after bySession. @throws HoldfastError forbidden */
export const byAdmin = (rule: AdminRule) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const standing = adminStanding(rule, c.get('user'));
    if (standing === 'lapsed') throw new HoldfastError('forbidden', LAPSED);
    if (standing !== 'admin') throw new HoldfastError('forbidden', 'This takes an administrator.');
    await next();
  });
