/**
 * Admits only people who have signed in, and management tokens, if they have a right
 * (docs/specification.md#rights); to operations on all tenants, only administrators.
 */
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../../domain/errors.ts';
import { isRight, type Need, type Right, SCOPED_RIGHTS } from '../../domain/rights.ts';
import { actorNameOf, readSignIn } from '../../engine/tenant/signIns.ts';
import { verifyCredential } from '../../engine/tenant/verifyCredential.ts';
import { type AdminRule, adminStanding } from '../../identity/admins.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { clientAddress } from '../clientAddress.ts';
import type { CallerDeps } from '../deps.ts';
import type { AppEnv } from '../env.ts';

/** What bySession takes. */
export type SessionDeps = Pick<OperationDeps, 'engine'> & Pick<CallerDeps, 'trustedProxies'>;

/**
 * Sets `actor`, and `user` if it is a person.
 * @param need what the operation needs; for `administrator`, byAdmin has to follow
 * @throws HoldfastError forbidden for a key or token, and for those who lack the right; unauthenticated if the session
 * has ended
 */
export const bySession = ({ engine, trustedProxies }: SessionDeps, need: Need) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const credential = c.get('credential');
    const address = clientAddress(c, trustedProxies);
    const right = isRight(need) ? need : null;
    if (credential.kind === 'management' && right !== null) {
      const { label } = await verifyCredential(engine, credential, right);
      c.set('actor', { credential, userId: null, actor: `token:${label}`, address });
      return next();
    }
    if (credential.kind !== 'session') throw new HoldfastError('forbidden', takes(right));
    await verifyCredential(engine, credential, right);
    const user = await readSignIn(engine, credential);
    if (user === null) throw new HoldfastError('unauthenticated', 'The session has ended.');
    c.set('user', user);
    c.set('actor', { credential, userId: user.id, actor: actorNameOf('person', user), address });
    await next();
  });

const takes = (right: Right | null) =>
  right !== null && SCOPED_RIGHTS.has(right)
    ? 'This takes a session of the dashboard, or a management token.'
    : 'This takes a session of the dashboard.';

const LAPSED = 'Administrators have to sign in again after 15 minutes: open /dashboard/tenants.';

/** Use it after bySession. @throws HoldfastError forbidden */
export const byAdmin = (rule: AdminRule) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const user = c.get('user');
    const standing = adminStanding(rule, user);
    if (standing === 'lapsed') throw new HoldfastError('forbidden', LAPSED);
    if (standing !== 'admin') throw new HoldfastError('forbidden', 'This takes an administrator.');
    c.set('actor', { ...c.get('actor'), actor: actorNameOf('admin', user) });
    await next();
  });
