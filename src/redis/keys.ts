/**
 * The names of the keys in Redis (verbs.ts has those of each script). All keys of a tenant begin with its hash tag,
 * `{<tenant id>}:`, so that one script can work on them in a cluster. They have fixed names,
 * so every script can declare each key that it may touch (givenOf() in verbs.ts).
 *
 *   {t}:tenant            hash: tier, counters and quota in one packed field, a field for each API key, and rarely
 *                         needed fields (lua/frame/tenant.lua)
 *   {t}:slots             hash: held slot → record (lua/slots/codec.lua)
 *   {t}:due               sorted set: slot of a reservation with a lease → ms at which it is due
 *   {t}:pools             hash: held slots of pools and their owners (lua/slots/pools.lua)
 *   {t}:definitions       hash: registered resources (lua/definitions/definitions.lua)
 *   {t}:conditions        hash: slots that are out of service, or were set dirty (lua/slots/marks.lua)
 *   {t}:clean             hash: the slots that are ready of resources whose slots are dirty after use
 *   {t}:tickets           hash: ticket that waits or was granted → record (lua/waiting/tickets.lua)
 *   {t}:queues            sorted set: the queues of tickets for resources, and other orders of tickets
 *                         (waiting/queues.lua)
 *   {t}:waits             sorted set: ticket → ms at which it must be looked at (waiting/lifetimes.lua)
 *   {t}:sessions          hash: session of callers → record (lua/sessions/sessions.lua)
 *   {t}:sessionHolds      sorted set: reservations of sessions
 *   {t}:sessionsDue       sorted set: session → ms at which it is due
 *   {t}:bookings          hash: booking → record (lua/bookings/records.lua)
 *   {t}:booked            sorted set: bookings of slots that have not begun, and other orders of bookings
 *   {t}:bookingsDue       sorted set: booking → ms of its next moment
 *   {t}:wake:<instance>   channel (sharded pub/sub): tickets of the instance's long polls, and what became of them
 *   {t}:bookingChanges    sorted set: booking that has changed since it was copied to the database → revision
 *                         (lua/bookings/copies.lua)
 *   {t}:nameIndex         sorted set: names of registered resources in several orders (lua/definitions/redefine.lua)
 *   {t}:copying           the lease under which its definitions are copied from the database
 *   {t}:token:<SHA-256>   a derived token, until it ends
 *   {t}:tokens:<issuer>:<minute>:<digit>  set: tokens that were exchanged by a registration in one minute
 *                                         (tokens.ts)
 *   {t}:session:<SHA-256> the user of a sign-in session, as JSON, until it ends
 *   {t}:signIns:<user id> set: the sign-in sessions of a user (session:<SHA-256>), some of which may have ended
 *   {t}:answer:<id>       the reply to a request, for some seconds (lua/frame/answers.lua)
 *   {t}:idempotency:<key> the reply to a request with this Idempotency-Key, for 10 minutes (lua/frame/answers.lua)
 *   {t}:answers           list: the replies of the kind before, oldest first
 *   {t}:taken             hash: release token of a reservation that was taken away → ms and actor
 *                         (lua/reservations/release.lua)
 *   {t}:takenAt           sorted set: the same token → ms
 *   {t}:history           stream: ended reservations and waits (lua/history/ended.lua)
 *   {t}:resetSlots        hash: the slots of a large reset, until they are in the history (lua/verbs/reset.lua)
 *   {t}:streams           sorted set: id of an open stream of events → ms at which its lease lapses
 *   {t}:sessionStreams    the same for streams of sign-in sessions, which do not count towards the tier's limit
 *   {t}:activity          hash: minute of the hour → number of the minute since 1970, operations, refusals
 *   {t}:refusals:<day>    hash: refused requests of a day since 1970, by hour and resource or limit (refusals.lua)
 *   {t}:used              hash: SHA-256 of an API key → ms at which it was last used
 *   {t}:events            channel (sharded pub/sub): numbered messages of events (lua/events/events.lua); an empty
 *                         message: keys have changed
 *   {t}:cursors           hash: how far each reader of the outbox has come (lua/events/cursors.lua)
 *   {t}:attempts:<id>     list: the last attempts to deliver to a subscription, newest first
 *                         (engine/notices/attempts.ts)
 *   reads:<tier>:{t}      string: reads in the open window of a minute (lua/limits/quota.lua); with :sessions after it,
 *                         those of sign-in sessions
 *   mail:{<SHA-256>}:<what>  of an e-mail address, in lower case: the messages of the last hour, and the lines of its
 *                         next digest (notices/mail/perHour.ts)
 *   mailed:{<webhook-id>} set: the addresses that have got a batch (notices/email.ts)
 *   {t}:slack:<signature> a signature of a request from Slack, which counts once
 *   slackLink:<SHA-256>   the account in Slack of a link that its user has not followed yet (engine/tenant/slack.ts)
 *   {active}              sorted set: tenant that has been active → ms at which it was last
 *   {history}             sorted set: tenant whose history may have to be moved to the database → ms since when
 *                         (engine/history/stream.ts)
 *   {notices}             string: what the last look at all outboxes has found (engine/notices/outboxState.ts)
 *   {expiry:<n>}          sorted set, one shard of the due index: tenant → ms; none of its reservations is due
 *                         earlier
 */
import { createHash } from 'node:crypto';
import type { Credential } from '../domain/tenants.ts';
import { TIERS, type Tier } from '../domain/tiers.ts';
import { givenOf, type TenantVerb, VERBS } from './verbs.ts';

/** Shards of the due index: enough to spread it over a cluster, few enough to read all of them every second. */
export const EXPIRY_SHARDS = 16;

export const tenantKey = (tenant: string): string => `{${tenant}}:tenant`;

/** The slots of a tenant that are out of service, or were set dirty. */
export const conditionsKey = (tenant: string): string => `{${tenant}}:conditions`;

/** The bookings of a tenant that have changed since they were copied to the database. */
export const bookingChangesKey = (tenant: string): string => `{${tenant}}:bookingChanges`;

/** The lease under which a tenant's definitions are copied. */
export const copyingKey = (tenant: string): string => `{${tenant}}:copying`;

/**
 * The Redis key of a derived token or a sign-in session; the tenant's hash for credentials without a Redis key of their
 * own.
 */
export const keyOfCredential = ({ tenant, credentialKey, kind }: Credential): string =>
  kind === 'token' || kind === 'session' ? `{${tenant}}:${credentialKey}` : tenantKey(tenant);

const TIER_OF: ReadonlyMap<string, Tier> = new Map(TIERS.map((tier) => [`reads${tier}`, tier]));

const givenKeys: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(VERBS).map(([verb, { keys }]) => [verb, givenOf(keys)]),
);
const givenTo = (verb: TenantVerb): readonly string[] => givenKeys.get(verb) ?? [];

/** Returns the keys to pass to a script of a tenant. */
export function keysOf(verb: TenantVerb, tenant: string): string[] {
  return givenTo(verb).map((name) => `{${tenant}}:${name}`);
}

/**
 * Returns the keys to pass to a script for a request.
 * @param own the key of this request alone, without the tenant's prefix: its remembered reply, or the set of its token;
 * '' none: the tenant's hash stands for it
 */
export function keysOfRequest(verb: TenantVerb, credential: Credential, own = ''): string[] {
  const { tenant } = credential;
  return givenTo(verb).map((name) => {
    if (name === 'credential') return keyOfCredential(credential);
    const tier = TIER_OF.get(name);
    if (tier !== undefined) return readsKey(tier, credential);
    const isOwn = name === 'answer' || name === 'tokens';
    return isOwn ? (own === '' ? tenantKey(tenant) : `{${tenant}}:${own}`) : `{${tenant}}:${name}`;
  });
}

/** The key under which the reply to a request is remembered, without the tenant's prefix. */
export const answerKey = (id: string): string => `answer:${id}`;

/** The same for a request with an Idempotency-Key. */
export const idempotencyKey = (key: string): string => `idempotency:${key}`;

/** Matches every tenant's key, in SCAN. */
export const TENANT_KEYS = tenantKey('*');

/** Matches every key of a tenant, in SCAN. */
export const keysOfTenant = (tenant: string): string => `{${tenant}}:*`;

/** Returns the tenant that a key `{t}:tenant` belongs to; null for other keys. */
export const tenantOf = (key: string): string | null => /^\{([^{}]+)\}:tenant$/.exec(key)?.[1] ?? null;

export const expiryKey = (shard: number): string => `{expiry:${shard}}`;

/** The channel of a tenant's events; and the tenant of a channel. */
export const eventsChannel = (tenant: string): string => `{${tenant}}:events`;

/** The channel that wakes the long polls of a tenant at an instance. */
export const wakeChannel = (tenant: string, instance: string): string => `{${tenant}}:wake:${instance}`;

/** Returns the shard of the due index that has a tenant. */
export const expiryShard = (tenant: string): number =>
  createHash('sha1').update(tenant).digest().readUInt8(0) % EXPIRY_SHARDS;

/** Keys that are written to prove that Redis accepts writes. In a cluster they are spread over several primaries. */
export const PROBE_KEYS: readonly string[] = Array.from({ length: 8 }, (_, i) => `{probe:${i}}`);

// Keys that code reads without a script.

/** The held slots of a tenant. */
export const slotsKey = (tenant: string): string => `{${tenant}}:slots`;
/** The refused requests of a day. @param day number of the day since 1970 UTC */
export const refusalsKey = (tenant: string, day: number): string => `{${tenant}}:refusals:${day}`;
/** Its registered resources. */
export const definitionsKey = (tenant: string): string => `{${tenant}}:definitions`;

/** A tenant's activity in the last hour, by minute. */
export const activityKey = (tenant: string): string => `{${tenant}}:activity`;
/** The tenants that have been active, and when they were last. */
export const ACTIVE_KEY = '{active}';
/** The tenants whose history may have to be moved to the database. */
export const WAITING_HISTORIES_KEY = '{history}';
/** What the last look at all outboxes has found. */
export const NOTICES_KEY = '{notices}';
/** The ended reservations and waits of a tenant. */
export const historyKey = (tenant: string): string => `{${tenant}}:history`;
/** How far each reader of a tenant's outbox has come. */
export const cursorsKey = (tenant: string): string => `{${tenant}}:cursors`;
/** The events that a tenant's readers want. */
export const outboxKey = (tenant: string): string => `{${tenant}}:outbox`;
/** The last attempts to deliver to a subscription. */
export const attemptsKey = (tenant: string, subscription: string): string => `{${tenant}}:attempts:${subscription}`;
/** When a tenant's API keys were last used. */
export const usedKey = (tenant: string): string => `{${tenant}}:used`;

/** A sign-in session, by the string that scripts look it up by. */
export const sessionKey = (tenant: string, credentialKey: string): string => `{${tenant}}:${credentialKey}`;
/** The index of a user's sign-in sessions. */
export const signInsKey = (tenant: string, userId: string): string => `{${tenant}}:signIns:${userId}`;

/** A signature of a request from Slack. */
export const slackSignatureKey = (tenant: string, signature: string): string => `{${tenant}}:slack:${signature}`;
/** A link that ties an account in Slack to a member, by the digest of its secret. */
export const slackLinkKey = (digest: string): string => `slackLink:${digest}`;

/**
 * The counter of a tenant's reads in a tier. Sign-in sessions have one of their own, so that people can look at their
 * tenant however much its keys read.
 */
export const readsKey = (tier: Tier, { tenant, kind }: Pick<Credential, 'tenant' | 'kind'>): string =>
  `reads:${tier}:{${tenant}}${kind === 'session' ? ':sessions' : ''}`;
/** The prefix of the counters of failed authentications; the client's address follows. */
export const FAILED_AUTHENTICATIONS_PREFIX = 'failedAuthentications';
/** The prefix of the counters of personal notices; the tenant follows. */
export const PERSONAL_NOTICES_PREFIX = 'personalNotices';
/** The prefix of the counters of messages to a person by Slack, and to a device by push; these follow. */
export const PERSONAL_MESSAGES_PREFIX = 'personalMessages';

/** The prefix of BullMQ's keys: one hash slot, which its scripts need in a cluster. */
export const JOBS_PREFIX = '{bull}';

/** The keys of an e-mail address: messages of the last hour; lines that wait, and those of a digest that is sent. */
export function mailKeys(address: string) {
  const tag = `mail:{${createHash('sha256').update(address.toLowerCase()).digest('hex')}}`;
  return {
    sent: `${tag}:sent`,
    lines: `${tag}:lines`,
    count: `${tag}:count`,
    sending: `${tag}:sending`,
    sendingCount: `${tag}:sendingCount`,
  };
}

/** The addresses that have got a batch. */
export const mailedKey = (webhookId: string): string => `mailed:{${webhookId}}`;
