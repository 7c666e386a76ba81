/**
 * Calls a verb's script for a credential (tenantCall.ts): what each kind of verb takes, charges and returns.
 */
import type { Idempotency } from '../domain/idempotency.ts';
import type { Charged, Quota } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { answerKey, idempotencyKey, keysOfRequest } from '../redis/keys.ts';
import { toInteger, toText } from '../redis/reply.ts';
import { type ChargedVerb, type ReadVerb, rowOf, type VerbWithCredential } from '../redis/verbs.ts';
import type { Engine } from './engine.ts';
import { newToken } from './reservations/releaseToken.ts';
import { type Plan, run } from './tenantCall.ts';

/** Verbs whose scripts verify the credential first (lua/frame/admission.lua). renewStreams checks it in its own way. */
type GuardedVerb = Exclude<VerbWithCredential, 'renewStreams'>;
type FreeVerb = Exclude<GuardedVerb, ChargedVerb | ReadVerb>;

export interface CallOptions {
  /** The numbers of items of the requests of a batch. */
  readonly sizes?: readonly number[];
  /** True if its last argument names calls to which what is released may be handed over. */
  readonly isHandOver?: boolean;
  /** The set of its issuer's tokens to which a new token is added (tokens.ts). */
  readonly tokenSet?: string;
  /** True if an earlier call for the same request was charged. */
  readonly isContinuation?: boolean;
  /** The long poll of a request that may wait (pollOf() in waiting/call.ts). */
  readonly poll?: string | undefined;
  /** The request's Idempotency-Key, if it has one and this call sends the whole request. */
  readonly idempotency?: Idempotency | undefined;
  /** True if the script only says what the request would do. The caller charges it as reads. */
  readonly isDry?: boolean;
}

/** Builds the ARGV of a script after the credential and the flags, anew for each try. */
type Arguments = () => readonly (string | number)[];

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
    verb,
    tenant: credential.tenant,
    keys: keysOfRequest(verb, credential),
    replication: undefined,
    args: () => [credential.credentialKey, ...args()],
    read: (result) => ({ result, quota: [] }),
  }).then(({ result }) => result);

/**
 * Calls a script that charges the quota of reads.
 * @param costs number of reads; 0: the request has been charged, or costs nothing. In a batch,
 * that of each
 * @returns the reply after its code and the quota
 * @throws as call(); LimitError if fewer reads are left: nothing was charged
 */
export const callRead = (
  engine: Engine,
  verb: ReadVerb,
  credential: Credential,
  costs: number | readonly number[],
  args: () => readonly (string | number)[],
): Promise<Charged<unknown[]>> => run(engine, readPlan(verb, credential, costs, args));

/** Prepares callRead(). */
export const readPlan = (
  verb: ReadVerb,
  credential: Credential,
  costs: number | readonly number[],
  args: () => readonly (string | number)[],
): Plan => ({
  verb,
  tenant: credential.tenant,
  keys: keysOfRequest(verb, credential),
  replication: undefined,
  args: () => [credential.credentialKey, String(costs), ...args()],
  read: (result) => {
    const numbers = numbersOf(toText(result.shift()));
    const [work] = numbers.slice(3 * READS.length);
    return { quota: toQuota(numbers, READS), result, ...(work !== undefined && { work }) };
  },
});

/**
 * Calls a script that charges the quota of writes.
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
  { sizes, tokenSet = '', isContinuation = false, isDry = false, isHandOver = false, poll, idempotency }: CallOptions,
): Plan {
  const { tenant, credentialKey } = credential;
  const { keys, recognisesRetries = false } = rowOf(verb);
  const isRemembered = !recognisesRetries && keys.includes('answer');
  const own = idempotency ? idempotencyKey(idempotency.key) : isRemembered ? answerKey(newToken()) : tokenSet;
  const flags =
    (sizes ? `s${sizes.join()}` : '') +
    (isContinuation ? 'c' : '') +
    (isDry ? 'd' : '') +
    (isHandOver ? 'h' : '') +
    (poll === undefined ? '' : 'w') +
    (idempotency?.fingerprint ?? '');
  return {
    verb,
    tenant,
    keys: keysOfRequest(verb, credential, own),
    // A dry run writes nothing that has to last.
    replication: isDry ? undefined : engine.replication,
    args: (mayHaveRun, dueIndexed) => {
      // `charge` takes no flags (lua/frame/call.lua).
      if (verb === 'charge') return [credentialKey, ...args()];
      const now = `${mayHaveRun ? 'r' : ''}${dueIndexed === '' ? '' : `i${dueIndexed};`}${flags}`;
      return [credentialKey, now, ...args(), ...(poll === undefined ? [] : [poll])];
    },
    read: (result, isReplayed) => {
      const text = toText(result.shift());
      if (isReplayed) return { quota: [], result, isReplayed };
      const isOutboxWritten = text.endsWith(OUTBOX_WRITTEN);
      if (isOutboxWritten) engine.onOutbox?.(tenant);
      const numbers = numbersOf(isOutboxWritten ? text.slice(0, -OUTBOX_WRITTEN.length) : text);
      const [work, dueInMs, reads] = numbers.slice(3 * WRITES.length);
      const charged = { quota: toQuota(numbers, WRITES), result, ...(work !== undefined && { work }) };
      if (dueInMs === undefined || reads === undefined) return charged;
      engine.onDue?.(tenant, dueInMs);
      // The spread comes last: V8 takes some µs for each property that is added to a copy.
      return { dueInMs, reads, ...charged };
    },
  };
}

/** The end of the text of numbers, if the call has written to the outbox (lua/frame/commit.lua). */
const OUTBOX_WRITTEN = ' o';

/**
 * Reads the numbers at the head of a reply: three for each window of the quota, as lua/limits/quota.lua and reads.lua
 * return it, then others.
 */
const numbersOf = (text: string): number[] => text.split(' ').map(toInteger);

const READS = ['ReadsPerMinute'] as const;
const WRITES = ['OperationsPerMinute', 'OperationsPerDay'] as const;

function toQuota(numbers: readonly number[], windows: readonly Quota['limitType'][]): Quota[] {
  const quota: Quota[] = [];
  for (const [i, limitType] of windows.entries()) {
    const [limit = -1, remaining = 0, resetS = 0] = numbers.slice(3 * i, 3 * i + 3);
    if (limit !== -1) quota.push({ limitType, limit, remaining, resetS });
  }
  return quota;
}
