/**
 * Calls a verb's script for a credential (tenantCall.ts): what each kind of verb takes, charges and returns.
 */
import type { Once } from '../domain/once.ts';
import type { Charged, Quota } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import type { TierTable } from '../domain/tiers.ts';
import type { RedisClient } from '../redis/client.ts';
import { answerKey, KEYS_OF, keysOfRequest, onceKey, type TenantVerb } from '../redis/keys.ts';
import type { Replication } from '../redis/replication.ts';
import { toInteger, toText } from '../redis/reply.ts';
import { LONG_WORK, PAGE_WORK } from './line.ts';
import { newToken } from './reservations/releaseToken.ts';
import { type Plan, run } from './tenantCall.ts';

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
export const call = (
  engine: Engine,
  verb: FreeVerb,
  credential: Credential,
  args: () => (string | number)[],
): Promise<unknown[]> =>
  run(engine, {
    ...base(verb, credential),
    args: () => [credential.credentialKey, ...args()],
    read: (result) => result,
  });

/**
 * Calls a script that charges the quota of reads.
 * @param costs number of reads; 0: the request has been charged, or costs nothing. If several requests share the call,
 * that of each
 * @returns the reply after its code and the quota
 * @throws as call(); LimitError if fewer reads are left: nothing was charged
 */
export const callRead = (
  engine: Engine,
  verb: ReadVerb,
  credential: Credential,
  costs: number | readonly number[],
  args: () => (string | number)[],
): Promise<Charged<unknown[]>> => run(engine, readPlan(verb, credential, costs, args));

/** Prepares callRead(). */
export const readPlan = (
  verb: ReadVerb,
  credential: Credential,
  costs: number | readonly number[],
  args: () => (string | number)[],
): Plan<Charged<unknown[]>> => ({
  ...base(verb, credential),
  args: () => [credential.credentialKey, String(costs), ...args()],
  read: (result) => {
    const text = toText(result.shift());
    const [work] = text.split(' ').slice(3).map(toInteger);
    return { quota: toQuota(text, ['ReadsPerMinute']), result, ...(work !== undefined && { work }) };
  },
});

/**
 * Calls a script that charges the quota of writes.
 * @param args `indexed` is '' at first, then what was written to the expiry index (lua/limits/cap.lua)
 * @returns the reply after its code and the quota
 * @throws as call(); upgrade if the tier lacks the operation
 */
export const callCharged = (
  engine: Engine,
  verb: ChargedVerb,
  credential: Credential,
  args: Arguments,
  options: CallOptions = {},
): Promise<Charged<unknown[]>> => run(engine, chargedPlan(engine, verb, credential, args, options));

/** Prepares callCharged(). */
export function chargedPlan(
  engine: Engine,
  verb: ChargedVerb,
  credential: Credential,
  args: Arguments,
  { sizes, tokenSet = '', isContinuation = false, isDry = false, once }: CallOptions,
): Plan<Charged<unknown[]>> {
  const { tenant, credentialKey } = credential;
  const isRemembered = !RECOGNISING_VERBS.includes(verb) && KEYS_OF[verb].some((name) => name === 'answer');
  const own = once ? onceKey(once.key) : isRemembered ? answerKey(newToken()) : tokenSet;
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
  return {
    ...base(verb, credential, own),
    // A dry run writes nothing that has to last.
    replication: isDry ? undefined : engine.replication,
    args: (mayHaveRun, indexed) => [credentialKey, ...flagsOf(mayHaveRun), ...args(indexed)],
    read: (result, isReplayed) => {
      const text = toText(result.shift());
      if (isReplayed) return { quota: [], result, isReplayed };
      const [work, dueInMs, reads] = text.split(' ').slice(6).map(toInteger);
      const charged = { quota: toQuota(text), result, ...(work !== undefined && { work }) };
      if (dueInMs === undefined || reads === undefined) return charged;
      engine.onDue?.(tenant, dueInMs);
      return { ...charged, dueInMs, reads };
    },
  };
}

/** @param own the key of the request alone, as keysOfRequest() takes it */
const base = (verb: GuardedVerb, credential: Credential, own = '') => ({
  verb,
  tenant: credential.tenant,
  keys: keysOfRequest(verb, credential, own),
  isPaged: PAGED_VERBS.includes(verb),
  workOf: (reply: readonly unknown[]) => workOf(verb, reply),
});

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
