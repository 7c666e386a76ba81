/**
 * Admits only people who have signed in, and management tokens, if they have a right
 * (docs/specification.md#rights); to operations on all tenants, only administrators.
 */
import { HoldfastError } from '../../domain/errors.ts';
import { isRight, type Need, RIGHTS_OF_KEY, type Right, SCOPED_RIGHTS } from '../../domain/rights.ts';
import type { Engine } from '../../engine/engine.ts';
import { verifyCredential } from '../../engine/tenant/credentials.ts';
import { actorNameOf, readSignIn } from '../../engine/tenant/signIns.ts';
import { type AdminRule, adminStanding } from '../../identity/admins.ts';
import type { Call } from './call.ts';

export interface PersonDeps {
  readonly engine: Engine;
  readonly adminRule: AdminRule;
}

/** Returns true if keys can have what an operation needs. Its script then checks that. */
export const isForKeys = (need: Need): boolean => RIGHTS_OF_KEY.full.some((right) => right === need);

/**
 * Sets `actor`, and `user` if it is a person.
 * @throws HoldfastError forbidden for a key or token, and for those who lack the right; unauthenticated if the session
 * has ended
 */
export async function admitPerson({ engine, adminRule }: PersonDeps, need: Need, call: Call): Promise<void> {
  const { credential } = call;
  const { address = '' } = credential;
  const right = isRight(need) ? need : null;
  if (credential.kind === 'management' && right !== null) {
    const { label } = await verifyCredential(engine, credential, right);
    call.actor = { credential, userId: null, actor: `token:${label}`, address };
    return;
  }
  if (credential.kind !== 'session') throw new HoldfastError('forbidden', takes(right));
  await verifyCredential(engine, credential, right);
  const user = await readSignIn(engine, credential);
  if (user === null) throw new HoldfastError('unauthenticated', 'The session has ended.');
  if (need === 'administrator') refuseOthers(adminStanding(adminRule, user));
  call.user = user;
  const actor = actorNameOf(need === 'administrator' ? 'admin' : 'person', user);
  call.actor = { credential, userId: user.id, actor, address };
}

const takes = (right: Right | null) =>
  right !== null && SCOPED_RIGHTS.has(right)
    ? 'This takes a session of the dashboard, or a management token.'
    : 'This takes a session of the dashboard.';

const LAPSED = 'Administrators have to sign in again after 15 minutes: open /dashboard/tenants.';

function refuseOthers(standing: ReturnType<typeof adminStanding>): void {
  if (standing === 'lapsed') throw new HoldfastError('forbidden', LAPSED);
  if (standing !== 'admin') throw new HoldfastError('forbidden', 'This takes an administrator.');
}
