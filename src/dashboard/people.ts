/**
 * Names of people on pages: members by their names, the person who looks at the page "You", and programs as they
 * call themselves.
 */
import { PERSON_PREFIX } from '../domain/names.ts';
import type { Credential } from '../domain/tenants.ts';
import { requesterOf, type SessionUser } from '../engine/tenant/signIns.ts';
import { isOwn } from '../operations/permissions.ts';
import { listMembers } from '../store/members.ts';
import type { DashboardDeps } from './env.ts';

/** The requesters that a person is: that of the dashboard, and their e-mail address, which programs use. */
export const requestersOf = (user: SessionUser): string[] => [
  requesterOf(user),
  ...(user.email === null ? [] : [user.email]),
];

/** Returns what pages call a requester. */
export type NameOf = (requester: string) => string;

/** A requester of the dashboard, without what tells it from one of a program. */
const plain = (requester: string): string =>
  requester.startsWith(PERSON_PREFIX) ? requester.slice(PERSON_PREFIX.length) : requester;

/**
 * @param reader.user null: nobody has signed in
 * @param requesters those that the page may show
 */
export async function namesOf(
  { memberships }: Pick<DashboardDeps, 'memberships'>,
  { user, credential }: { readonly user: SessionUser | null; readonly credential: Credential },
  requesters: Iterable<string>,
): Promise<NameOf> {
  const emails = new Set([...requesters].map(plain).filter((one) => one.includes('@')));
  // A page does without names rather than fail.
  const known = await memberships.names(credential.tenant, [...emails]).catch(() => new Map<string, string>());
  return (requester) =>
    user !== null && isOwn(user, requester) ? 'You' : (known.get(plain(requester)) ?? plain(requester));
}

/** The most people that a form suggests. */
const MAX_SUGGESTED = 200;

/** A member of a tenant, as forms suggest them. */
export interface Colleague {
  readonly email: string;
  readonly name: string | null;
}

/** Returns members of a tenant who have an e-mail address; none without a database. */
export async function colleagues(
  { tenants }: Pick<DashboardDeps, 'tenants'>,
  { credential }: { readonly credential: Credential },
): Promise<Colleague[]> {
  // A form does without suggestions rather than fail.
  const all =
    tenants === null
      ? []
      : await listMembers(tenants.store, credential.tenant, undefined, MAX_SUGGESTED).catch(() => []);
  return all.flatMap(({ email, name }) => (email === null ? [] : [{ email, name }]));
}

/** True if a requester is the person who looks at a page. */
export const isOwnOf =
  ({ user }: { readonly user: SessionUser | null }) =>
  (requester: string): boolean =>
    user !== null && isOwn(user, requester);
