/**
 * Runs a verb's script for a credential. If the script cannot finish yet, does the missing step and calls it again:
 * loads a tenant that Redis does not have, ends a backlog of expired reservations in pieces, or writes the expiry index
 * before a lease.
 */
import { HoldfastError } from '../domain/errors.ts';
import type { Once } from '../domain/once.ts';
import type { Charged, Quota } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import type { TierTable } from '../domain/tiers.ts';
import type { RedisClient } from '../redis/client.ts';
import {
  answerKey,
  expiryKey,
  expiryShard,
  KEYS_OF,
  keysOfRequest,
  onceKey,
  type TenantVerb,
  tenantKey,
} from '../redis/keys.ts';
import type { Replication } from '../redis/replication.ts';
import { parseReply, toInteger, toMs, toText } from '../redis/reply.ts';
import { send } from '../redis/send.ts';
import { endBacklog, pauseAfterPiece } from './backlog.ts';
import { ownTurn } from './ownTurn.ts';
import { noValidKey, refusal } from './refusal.ts';
import { newToken } from './reservations/releaseToken.ts';
import { inTurn, LONG_WORK, PAGE_WORK } from './tenantTurns.ts';

export interface Engine {
  readonly redis: RedisClient;
  /** Waits for replicas to confirm writes before their requests get responses. */
  readonly replication?: Replication | undefined;
  /** Loads a tenant that Redis has lost or never had. Returns false if there is no such tenant. */
  readonly loadTenant: (id: string) => Promise<boolean>;
  /** The limits of each tier. */
  readonly tiers: TierTable;
  /**
   * Called when a reply says when something of the tenant is next due, if requests of the tenant wait.
   * @param dueInMs -1: nothing is due
   */
  readonly onDue?: ((tenant: string, dueInMs: number) => void) | undefined;
}

/** Verbs whose scripts are passed the credential's key. */
type VerbWithCredential = {
  [Verb in TenantVerb]: 'credential' extends (typeof KEYS_OF)[Verb][number] ? Verb : never;
}[TenantVerb];

/** Verbs whose scripts verify the credential first (lua/frame/admission.lua). renewStreams checks it in its own way. */
type GuardedVerb = Exclude<VerbWithCredential, 'renewStreams'>;

/** Verbs whose scripts charge the quota of writes, and return what is left of it. */
const CHARGED_VERBS = [
  'cancel',
  'beginSession',
  'charge',
  'delete',
  'endSession',
  'issueToken',
  'keep',
  'register',
  'renew',
  'renewSession',
  'reserve',
  'reset',
  'transaction',
  'unreserve',
] as const satisfies readonly GuardedVerb[];
type ChargedVerb = (typeof CHARGED_VERBS)[number];

/** Verbs whose scripts charge the quota of reads, and return what is left of it. */
type ReadVerb =
  | 'active'
  | 'available'
  | 'chargeReads'
  | 'check'
  | 'definitions'
  | 'sessions'
  | 'tree'
  | 'usage'
  | 'waiting';
type FreeVerb = Exclude<GuardedVerb, ChargedVerb | ReadVerb>;

/** Verbs whose scripts recognise a retry by themselves: they remember replies only under an Idempotency-Key. */
const RECOGNISING_VERBS: readonly ChargedVerb[] = ['beginSession', 'keep', 'renew', 'renewSession', 'reserve'];

/** How many times one call loads a tenant that Redis keeps losing. */
const MAX_LOADS = 5;

/**
 * A reply with more parts has a turn of the event loop to itself, as pages have: to make 500 results of it takes
 * milliseconds. Replies of calls that small requests share are shorter (coalesce.ts).
 */
const LONG_REPLY = 110;

/** How long a call keeps ending expired reservations before it fails, in ms. */
const MAX_BACKLOG_MS = 2000;

export interface CallOptions {
  /** The numbers of items of the requests that share the call, if several do. */
  readonly sizes?: readonly number[];
  /** The set of its issuer's tokens to which a new token is added (tokens.ts). */
  readonly tokenSet?: string;
  /** Whether an earlier call for the same request was charged. */
  readonly isContinuation?: boolean;
  /** The request's Idempotency-Key, if it has one and this call sends the whole request. */
  readonly once?: Once | undefined;
  /** Whether the script only says what the request would do. The caller charges it as reads. */
  readonly isDry?: boolean;
}

/** Builds the ARGV of a script after the credential and the flags, anew for each try. */
type Arguments = (indexed: string) => (string | number)[];

/**
 * Calls a script that charges nothing.
 * @returns the reply after its code
 * @throws HoldfastError unauthenticated, unavailable; forbidden if the tenant is suspended; refused, unregistered;
 * LimitError; StaleError
 */
export const call = async (
  engine: Engine,
  verb: FreeVerb,
  credential: Credential,
  args: () => (string | number)[],
): Promise<unknown[]> => {
  const keys = keysOfRequest(verb, credential);
  const argsOf = () => [credential.credentialKey, ...args()];
  return (await run(engine, undefined, verb, credential.tenant, keys, argsOf)).result;
};

/**
 * Calls a script that charges the quota of reads.
 * @param costs number of reads; 0: the request has been charged, or costs nothing. If several requests share the call,
 * that of each
 * @returns the reply after its code and the quota
 * @throws as call(); LimitError if fewer reads are left: nothing was charged
 */
export async function callRead(
  engine: Engine,
  verb: ReadVerb,
  credential: Credential,
  costs: number | readonly number[],
  args: () => (string | number)[],
): Promise<Charged<unknown[]>> {
  const keys = keysOfRequest(verb, credential);
  const argsOf = () => [credential.credentialKey, String(costs), ...args()];
  const { result } = await run(engine, undefined, verb, credential.tenant, keys, argsOf);
  const text = toText(result.shift());
  const [work] = text.split(' ').slice(3).map(toInteger);
  return { quota: toQuota(text, ['ReadsPerMinute']), result, ...(work !== undefined && { work }) };
}

/**
 * Calls a script that charges the quota of writes.
 * @param args `indexed` is '' at first, then what was written to the expiry index (lua/limits/cap.lua)
 * @returns the reply after its code and the quota
 * @throws as call(); upgrade if the tier lacks the operation
 */
export async function callCharged(
  engine: Engine,
  verb: ChargedVerb,
  credential: Credential,
  args: Arguments,
  { sizes, tokenSet = '', isContinuation = false, isDry = false, once }: CallOptions = {},
): Promise<Charged<unknown[]>> {
  // A dry run writes nothing that has to last.
  const replication = isDry ? undefined : engine.replication;
  const { tenant, credentialKey } = credential;
  const isRemembered = !RECOGNISING_VERBS.includes(verb) && KEYS_OF[verb].some((name) => name === 'answer');
  const own = once ? onceKey(once.key) : isRemembered ? answerKey(newToken()) : tokenSet;
  const keys = keysOfRequest(verb, credential, own);
  // `charge` takes no flags (lua/frame/flags.lua).
  const flagsOf = (mayHaveRun: boolean) =>
    verb === 'charge'
      ? []
      : [
          (mayHaveRun ? 'r' : '') +
            (sizes ? `s${sizes.join()}` : '') +
            (isContinuation ? 'c' : '') +
            (isDry ? 'd' : '') +
            (once?.fingerprint ?? ''),
        ];
  const argsOf = (mayHaveRun: boolean, indexed: string) => [credentialKey, ...flagsOf(mayHaveRun), ...args(indexed)];
  const { result, isReplayed } = await run(engine, replication, verb, tenant, keys, argsOf);
  const text = toText(result.shift());
  if (isReplayed) return { quota: [], result, isReplayed };
  const [work, dueInMs, reads] = text.split(' ').slice(6).map(toInteger);
  const charged = { quota: toQuota(text), result, ...(work !== undefined && { work }) };
  if (dueInMs === undefined || reads === undefined) return charged;
  engine.onDue?.(tenant, dueInMs);
  return { ...charged, dueInMs, reads };
}

/**
 * Runs a script until it answers, or a limit on repeating it is reached. `result` is the reply after its code.
 * @param replication confirms what the script has written
 */
async function run(
  engine: Engine,
  replication: Replication | undefined,
  verb: GuardedVerb,
  tenant: string,
  keys: readonly string[],
  args: (mayHaveRun: boolean, indexed: string) => (string | number)[],
): Promise<{ result: unknown[]; isReplayed: boolean }> {
  const redis = replication?.redis ?? engine.redis;
  // Records of reservations are packed bytes.
  const command = verb === 'active' ? 'hf_activeBuffer' : (`hf_${verb}` as const);
  let indexed = '';
  let loads = 0;
  let backlogEndsMs = 0;
  // A call that goes on with a backlog lets the tenant's other calls pass: some can be answered in between.
  for (let isNext = false; ; isNext = backlogEndsMs === 0) {
    const [code, ...rest] = await inTurn(engine, tenant, isNext, async () => {
      const reply = parseReply(await send((mayHaveRun) => redis[command](...keys, ...args(mayHaveRun, indexed))));
      return { reply, work: workOf(verb, reply) };
    });
    // A call that is answered before the backlog has come to its end is answered at once.
    if (backlogEndsMs > 0 && code !== 'AGAIN') endBacklog(engine.redis, tenant);
    // In a later turn of the event loop, the connection may be another one (replication.ts).
    if (code === 'OK' || code === 'REPLAYED') await replication?.confirm(tenantKey(tenant));
    if (rest.length > LONG_REPLY || PAGED_VERBS.includes(verb)) await ownTurn();
    switch (code) {
      case 'OK':
        return { result: rest, isReplayed: false };
      case 'REPLAYED':
        return { result: rest, isReplayed: true };
      case 'AGAIN':
        backlogEndsMs ||= performance.now() + MAX_BACKLOG_MS;
        if (!(await pauseAfterPiece(engine.redis, tenant, backlogEndsMs)))
          throw new HoldfastError(
            'unavailable',
            'A backlog of expired reservations or of waiting requests is being worked off. Repeat the call.',
          );
        continue;
      case 'INDEX': {
        const [ms, swept] = rest;
        await lowerIndex(redis, replication, tenant, toMs(ms));
        indexed = `${toMs(ms)} ${toInteger(swept)}`;
        continue;
      }
      case 'NO_TENANT':
        if (!(await engine.loadTenant(tenant))) throw noValidKey();
        // The tenant exists, so Redis has lost it again in the meantime.
        if (++loads > MAX_LOADS)
          throw new HoldfastError('unavailable', "Redis keeps losing this tenant's data. Repeat the call.");
        continue;
      default:
        throw refusal(engine.tiers, verb, code, rest);
    }
  }
}

/** Verbs that read a page. */
const PAGED_VERBS: readonly GuardedVerb[] = [
  'active',
  'definitions',
  'labelsInUse',
  'resource',
  'sessions',
  'states',
  'tree',
  'unregistered',
  'waiting',
];

/** The work of a script, in units of lua/frame/work.lua; undefined if it does not say. */
function workOf(verb: GuardedVerb, [code, text]: readonly unknown[]): number | undefined {
  if (code === 'AGAIN' || code === 'REFUSED') return LONG_WORK;
  if (PAGED_VERBS.includes(verb)) return PAGE_WORK;
  if (code !== 'OK') return 0;
  const at = verb === 'check' || verb === 'available' ? 3 : CHARGED_VERBS.some((one) => one === verb) ? 6 : undefined;
  const work = at === undefined ? undefined : toText(text).split(' ')[at];
  return work === undefined ? undefined : toInteger(work);
}

const WRITES = ['OperationsPerMinute', 'OperationsPerDay'] as const;

/** @param reply the quota as lua/limits/quota.lua and reads.lua return it */
function toQuota(reply: string, windows: readonly Quota['limitType'][] = WRITES): Quota[] {
  const numbers = reply.split(' ').map(toInteger);
  return windows.flatMap((limitType, i) => {
    const [limit = -1, remaining = 0, resetS = 0] = numbers.slice(3 * i);
    return limit === -1 ? [] : [{ limitType, limit, remaining, resetS }];
  });
}

/** Writes the expiry index. Like the lease that follows, it must survive the loss of its primary. */
async function lowerIndex(
  redis: RedisClient,
  replication: Replication | undefined,
  tenant: string,
  ms: number,
): Promise<void> {
  const shard = expiryKey(expiryShard(tenant));
  await send(() => redis.hf_lowerIndex(shard, tenant, ms));
  await replication?.confirm(shard);
}
