/**
 * Sign-in sessions: people who have signed in to the dashboard (docs/specification.md#dashboard-and-sign-in). They are
 * Redis keys beside their tenant's state, so that scripts can check them, and they expire.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { LOCAL_ISSUER, nameFault, PERSON_PREFIX } from '../../domain/names.ts';
import { RIGHTS_OF_ROLE, type Right, ROLES, type Role, rightsText } from '../../domain/rights.ts';
import type { Credential } from '../../domain/tenants.ts';
import type { RedisClient } from '../../redis/client.ts';
import { eventsChannel, keyOfCredential, sessionKey, signInsKey } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';
import type { Engine } from '../engine.ts';

/** The longest that a session lasts, in ms. */
export const SIGN_IN_MS = 12 * 3_600_000;

const SessionUser = z.object({
  role: z.enum(ROLES),
  /** The name of the tenant, which never changes. */
  tenantName: z.string(),
  id: z.string(),
  issuer: z.string(),
  subject: z.string(),
  /** null: the provider sent none, or has not verified it */
  email: z.string().nullable(),
  name: z.string().nullable(),
  groups: z.array(z.string()).readonly(),
  /** The tenants that the sign-in has made the person a member of, which a page says once. */
  joined: z.array(z.object({ tenant: z.string(), name: z.string(), by: z.string() })).readonly(),
  /** True if the person belonged to several tenants when the session began: they can switch. */
  hasSeveral: z.boolean(),
  /** ms since 1970 UTC: the provider's description of the user is trusted until then (identity/admins.ts). */
  describedUntilMs: z.number(),
  /** True if it carries out commands that the person gives in Slack. */
  isInSlack: z.literal(true).optional(),
});

/** The person who has signed in. */
export type SessionUser = z.infer<typeof SessionUser>;

/** The rights of a person. In Slack nobody extends or releases what others hold. */
export const rightsOfUser = ({ role, isInSlack }: Pick<SessionUser, 'role' | 'isInSlack'>): readonly Right[] =>
  isInSlack ? RIGHTS_OF_ROLE[role].filter((right) => right !== 'force') : RIGHTS_OF_ROLE[role];

/** The name of a person in events and in the audit trail. */
export const actorNameOf = (as: 'person' | 'admin', { email, subject }: Pick<SessionUser, 'email' | 'subject'>) =>
  `${as}:${email ?? subject}`;

const MAX_REQUESTER_LENGTH = 256;

/** What the requester of a person is made of. */
type Named = Pick<SessionUser, 'issuer' | 'subject' | 'email' | 'name'>;

/**
 * The requester of what a person reserves on the dashboard. A name that the provider gives is not unique, and people
 * can often choose it: with it goes the subject, so that nobody passes for somebody else.
 */
export function requesterOf({ issuer, subject, email, name }: Named): string {
  const who = email ?? (issuer === LOCAL_ISSUER ? name : name && `${name} (${subject})`) ?? subject;
  const requester = `${PERSON_PREFIX}${who}`;
  return nameFault(requester, MAX_REQUESTER_LENGTH) === null
    ? requester
    : `${PERSON_PREFIX}${hash('sha256', `${issuer}\n${subject}`).slice(0, 32)}`;
}

/** Number of sessions that are changed at a time, which takes Redis about 1 ms. */
const PAGE = 500;

/**
 * Begins a sign-in session.
 * @throws HoldfastError unavailable
 */
export async function beginSignIn(
  { redis }: Pick<Engine, 'redis'>,
  session: Credential,
  user: SessionUser,
  lifetimeMs: number,
): Promise<void> {
  const index = signInsKey(session.tenant, user.id);
  // The index last: a call that empties it meanwhile would otherwise leave a session that it does not list. Nobody
  // has the cookie before this returns.
  await send(() => redis.set(keyOfCredential(session), textOf(user), 'PX', lifetimeMs));
  await send(() => redis.sadd(index, session.credentialKey));
  // No session lasts longer than the ones that begin now.
  await send(() => redis.pexpire(index, SIGN_IN_MS));
}

/** Prefix of the value of each session. */
const BEGINNING = '{"rights":"';

/** A user as Redis has them: scripts read the rights, which come first (lua/frame/admission.lua). */
const textOf = (user: SessionUser): string =>
  JSON.stringify({
    rights: rightsText(rightsOfUser(user)),
    actor: actorNameOf('person', user),
    requester: requesterOf(user),
    ...user,
  });

/** Reads what textOf() made. Anything else is no session, as for scripts: null. */
const userOf = (text: string | null): SessionUser | null =>
  text?.startsWith(BEGINNING) ? (SessionUser.safeParse(JSON.parse(text)).data ?? null) : null;

/**
 * @returns the user of the session; null if it has ended
 * @throws HoldfastError unavailable
 */
export async function readSignIn({ redis }: Pick<Engine, 'redis'>, session: Credential): Promise<SessionUser | null> {
  return userOf(await send(() => redis.get(keyOfCredential(session))));
}

/** Returns how much longer a session lasts, in ms; 0 if it has ended. @throws HoldfastError unavailable */
export const signInLastsMs = async ({ redis }: Pick<Engine, 'redis'>, session: Credential): Promise<number> =>
  Math.max(0, await send(() => redis.pttl(keyOfCredential(session))));

/**
 * Ends a sign-in session, and its streams of events.
 * @returns its user; null if it had ended
 * @throws HoldfastError unavailable
 */
export async function endSignIn({ redis }: Pick<Engine, 'redis'>, session: Credential): Promise<SessionUser | null> {
  const user = userOf(await send(() => redis.getdel(keyOfCredential(session))));
  // An invented session must not cause a message to all instances.
  if (user === null) return null;
  await send(() => redis.srem(signInsKey(session.tenant, user.id), session.credentialKey));
  await endStreams(redis, session.tenant);
  return user;
}

/** Ends a sign-in session that has no streams of events. @throws HoldfastError unavailable */
export async function endBriefSignIn(
  { redis }: Pick<Engine, 'redis'>,
  session: Credential,
  userId: string,
): Promise<void> {
  await send(() => redis.unlink(keyOfCredential(session)));
  await send(() => redis.srem(signInsKey(session.tenant, userId), session.credentialKey));
}

/**
 * Ends all sign-in sessions of a user in a tenant, and their streams of events.
 * @throws HoldfastError unavailable
 */
export async function endSignIns({ redis }: Pick<Engine, 'redis'>, tenant: string, userId: string): Promise<void> {
  const index = signInsKey(tenant, userId);
  for (let ended = 0; ; ended++) {
    const sessions = await send(() => redis.srandmember(index, PAGE));
    if (sessions.length === 0) {
      if (ended > 0) await endStreams(redis, tenant);
      return;
    }
    // Sessions first: if this is interrupted, the index still lists the remaining ones.
    await send(() => redis.unlink(...sessions.map((session) => sessionKey(tenant, session))));
    await send(() => redis.srem(index, ...sessions));
  }
}

/**
 * Gives all sign-in sessions of a user in a tenant another role. Each ends when it would have ended.
 * @throws HoldfastError unavailable
 */
export async function giveSignInsRole(
  { redis }: Pick<Engine, 'redis'>,
  tenant: string,
  userId: string,
  role: Role,
): Promise<void> {
  let cursor = '0';
  let changed = 0;
  do {
    const [next, sessions] = await send(() => redis.sscan(signInsKey(tenant, userId), cursor, 'COUNT', PAGE));
    cursor = next;
    for (const session of sessions) changed += Number(await giveRole(redis, sessionKey(tenant, session), role));
  } while (cursor !== '0');
  // A stream ends if its session may not read any more.
  if (changed > 0) await endStreams(redis, tenant);
}

/** Returns whether the session had another role. */
async function giveRole(redis: RedisClient, key: string, role: Role): Promise<boolean> {
  const text = await send(() => redis.get(key));
  const user = userOf(text);
  if (text === null || user?.role === role) return false;
  // Only if it has not ended meanwhile. A session that cannot be read must not keep its rights.
  if (user === null) await send(() => redis.unlink(key));
  else await send(() => redis.set(key, textOf({ ...user, role }), 'KEEPTTL', 'XX'));
  return true;
}

/** Makes instances check the credentials of a tenant's event streams. */
const endStreams = (redis: RedisClient, tenant: string) => send(() => redis.spublish(eventsChannel(tenant), ''));
