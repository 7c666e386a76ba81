/**
 * The person behind a request from Slack: the member who has linked the account. Commands are carried out with a
 * session of the service's own, which has the rights of the member's role and lasts as long as the command. Its value
 * never leaves the instance.
 */
import type { Memberships } from '../domain/memberships.ts';
import type { Credential } from '../domain/tenants.ts';
import { actorNameOf, beginSignIn, endBriefSignIn, requesterOf, type SessionUser } from '../engine/tenant/signIns.ts';
import { makeSession, parseSession } from '../identity/credentials.ts';
import type { OperationDeps } from '../operations/deps.ts';
import type { Store } from '../store/records.ts';
import { findLinkedMember, type LinkedMember, type SlackUser } from '../store/slack.ts';

export type PersonDeps = Pick<OperationDeps, 'engine' | 'reads'> & {
  readonly store: Store;
  readonly memberships: Memberships;
};

/** A member who has linked the account. */
export interface Person {
  readonly credential: Credential;
  /** The requester of what they reserve. */
  readonly requester: string;
}

/** Longer than a command takes. */
const LASTS_MS = 60_000;

const NOBODY = { groups: [], joined: [], hasSeveral: false, describedUntilMs: 0, isInSlack: true } as const;

const memberUser = (member: LinkedMember): SessionUser => ({ ...member, ...NOBODY });

/** Somebody who has linked no account. Such a session only pays for the request. */
const strangerUser = ({ teamId, userId }: SlackUser): SessionUser => ({
  id: `slack:${teamId}:${userId}`,
  issuer: 'slack',
  subject: userId,
  email: null,
  name: null,
  role: 'viewer',
  tenantName: '',
  ...NOBODY,
});

/**
 * Finds the person and charges a read, as for a page of the dashboard. Then acts for them.
 * @param act takes null if nobody has linked the account
 * @returns what `act` returns
 * @throws HoldfastError forbidden, unavailable; LimitError; the errors of `act`
 */
export async function actFor<T>(
  { engine, reads, store, memberships }: PersonDeps,
  tenant: string,
  account: SlackUser,
  address: string,
  act: (person: Person | null) => Promise<T>,
): Promise<T> {
  const session = parseSession(makeSession(tenant));
  if (session === null) throw new TypeError('a session that was just made cannot be read');
  const member = await findLinkedMember(store, tenant, account);
  const user = member === null ? strangerUser(account) : memberUser(member);
  await beginSignIn(engine, session, user, LASTS_MS);
  try {
    // The role may have changed since it was read.
    if (member !== null) await memberships.settle(user, tenant);
    const credential = { ...session, address, actor: actorNameOf('person', user) };
    await reads.charge(credential, null);
    return await act(member === null ? null : { credential, requester: requesterOf(user) });
  } finally {
    // It ends by itself if this fails.
    await endBriefSignIn(engine, session, user.id).catch(() => {});
  }
}
