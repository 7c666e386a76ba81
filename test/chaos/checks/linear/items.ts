/** Flattens calls into what each item of them says about one name. */
import type { ReserveItem } from '../../../../src/contract/reservations.ts';
import type { Call } from '../../history.ts';
import { FIXED } from '../../things.ts';
import { outcomeOf } from '../outcomes.ts';

export interface ItemSeen {
  readonly call: Call;
  readonly does: 'reserve' | 'release' | 'renew' | 'look';
  readonly resource: string;
  readonly requester: string;
  /** The status that it was answered; of a look `FREE` or `HELD`. Null: the outcome is unknown. */
  readonly status: string | null;
  /** The release token that was sent, or told. */
  readonly token: string | null;
  readonly expiresAt: string | null;
  readonly heldBy: string | null;
  readonly isShared: boolean;
  readonly session: string | undefined;
  readonly ttlSeconds: number | undefined;
  /** Time for which a grant waits for its caller. Undefined: it does not wait. */
  readonly claimSeconds: number | undefined;
}

/** Returns the items of a call; none if it was refused, so had no effect. */
export function itemsOf(call: Call): readonly ItemSeen[] {
  if (outcomeOf(call) === 'refused') return [];
  if (call.verb === 'reserve') return call.request.flatMap((item, i) => reserved(call, item, item, call.response?.[i]));
  if (call.verb === 'transaction') return ofTransaction(call);
  if (call.verb === 'unreserve') return call.request.map((item, i) => released(call, item, call.response?.[i]?.status));
  if (call.verb === 'renew')
    return call.request.map((item, i) => {
      const { status = null, expiresAt = null } = call.response?.[i] ?? {};
      const { requester, resource, ttlSeconds, releaseToken: token = null } = item;
      return { ...NONE, call, does: 'renew', resource, requester, status, token, expiresAt, ttlSeconds };
    });
  if (call.verb !== 'available' || call.response === null) return [];
  const status = call.response ? 'FREE' : 'HELD';
  return [{ ...NONE, call, does: 'look', resource: call.request, requester: '', status }];
}

const NONE = {
  token: null,
  expiresAt: null,
  heldBy: null,
  isShared: false,
  session: undefined,
  ttlSeconds: undefined,
  claimSeconds: undefined,
};

/** Resources that a match may have taken if its answer does not say: all labels of FIXED are alike. */
const LABELLED = FIXED.filter(({ labels }) => labels).map(({ name }) => name);

/** The least that a request may ask for. */
const DEFAULT_CLAIM_SECONDS = 5;

interface Waiting {
  readonly waitSeconds?: number | undefined;
  readonly claimSeconds?: number | undefined;
}

interface Answer {
  readonly resource: string;
  readonly status: string;
  readonly explanation: string;
  readonly releaseToken?: string | null;
  readonly expiresAt?: string | null;
  readonly mode?: string | undefined;
  readonly heldBy?: { readonly requester: string | null } | undefined;
}

function reserved(
  call: Call,
  { requester, resource, match, mode, ttlSeconds, session }: ReserveItem | Omit<ReserveItem, keyof Waiting>,
  { waitSeconds = 0, claimSeconds = DEFAULT_CLAIM_SECONDS }: Waiting,
  answer: Answer | undefined,
): ItemSeen[] {
  const mayBeAny = answer === undefined || answer.status === 'WAITING';
  const names = match === undefined ? [resource] : answer?.releaseToken ? [answer.resource] : mayBeAny ? LABELLED : [];
  // A reason after the status, as in `ALREADY_HELD: you hold it SHARED`, says something else than the status.
  const isBare = answer?.status === answer?.explanation || answer?.releaseToken;
  return names.flatMap((name) =>
    name === undefined
      ? []
      : {
          call,
          does: 'reserve' as const,
          resource: name,
          requester,
          status: answer ? (isBare ? answer.status : (answer.status === 'WAITING' && answer.status) || 'OTHER') : null,
          token: answer?.releaseToken ?? null,
          expiresAt: answer?.expiresAt ?? null,
          heldBy: answer?.heldBy?.requester ?? null,
          isShared: (answer?.mode ?? mode) === 'SHARED',
          session,
          ttlSeconds,
          claimSeconds: waitSeconds > 0 ? claimSeconds : undefined,
        },
  );
}

function released(
  call: Call,
  {
    requester,
    resource,
    releaseToken,
  }: { requester: string; resource: string; releaseToken?: string | null | undefined },
  status: string | null = null,
): ItemSeen {
  return { ...NONE, call, does: 'release', resource, requester, status, token: releaseToken ?? null };
}

function ofTransaction(call: Extract<Call, { verb: 'transaction' }>): ItemSeen[] {
  const { requests, session, ...wait } = call.request;
  const names = requests.map(({ resource }) => resource);
  const isUndone = call.response?.status === 'ROLLED_BACK' || call.response?.status === 'WAITING';
  return requests.flatMap((item, i) => {
    const answer = call.response?.results[i];
    const seen =
      item.requestType === 'RESERVE'
        ? reserved(call, { ...item, session: item.session ?? session }, wait, answer)
        : [released(call, item, answer?.status)];
    if (!isUndone) return seen;
    // Nothing was done, and what an item saw may have been done by one before it.
    const isFirst = names.indexOf(item.resource) === i;
    return seen.filter(({ status }) => status === 'WAITING' || (isFirst && status === 'ALREADY_HELD'));
  });
}

/**
 * The model of one slot with one name: who holds it, and what a call that was answered so says about that. The search
 * for an order of calls runs on it.
 */

/** A hold in the model. */
export interface Held {
  readonly requester: string;
  /** Null: nobody was told it. */
  readonly token: string | null;
  readonly isShared: boolean;
  readonly lease: Lease;
}

export interface Lease {
  /** Names its end, which has come at a time that is known. Null: that time is not known, or it never ends. */
  readonly key: string | null;
  /** From when on it may end by itself, in ms. Infinity: never. */
  readonly from: number;
}

export interface State {
  /** False: anything may be held, after faults that lose data. */
  readonly isKnown: boolean;
  readonly held: readonly Held[];
}

export const FREE: State = { isKnown: true, held: [] };
export const UNKNOWN: State = { isKnown: false, held: [] };

/** The effect of one item of a call, or its observation. */
export type Step =
  /** ACQUIRED. */
  | ({ readonly does: 'take' } & Held)
  /** ALREADY_HAD. With `mayTake` an attempt of which nobody knows may have taken it: the balancer repeats some. */
  | ({ readonly does: 'have'; readonly mayTake: boolean } & Held)
  /** RENEWED. */
  | ({ readonly does: 'renew' } & Held)
  /** RELINQUISHED. */
  | { readonly does: 'give'; readonly requester: string; readonly token: string | null }
  /** Everything of the tenant was ended. */
  | { readonly does: 'clear' }
  /** Nobody held it. */
  | { readonly does: 'seeFree' }
  /** It was held; `by` is null if the answer did not say by whom. */
  | { readonly does: 'seeHeld'; readonly by: string | null };

export const isRead = ({ does }: Step): boolean => does === 'seeFree' || does === 'seeHeld';

const isOf = (held: Held, { requester, token }: { readonly requester: string; readonly token: string | null }) =>
  held.requester === requester && (held.token === token || held.token === null || token === null);

/** Returns the state after a step; null if the step cannot have been answered so in this state. */
export function after(state: State, step: Step): State | null {
  if (!state.isKnown) return afterUnknown(step);
  const { held } = state;
  if (step.does === 'clear') return FREE;
  if (step.does === 'seeFree') return held.length === 0 ? state : null;
  if (step.does === 'seeHeld')
    return held.some(({ requester }) => step.by === null || requester === step.by) ? state : null;
  const own = held.find((one) => isOf(one, step));
  const others = held.filter((one) => one !== own);
  if (step.does === 'give') return own ? { isKnown: true, held: others } : null;
  if (step.does === 'renew') return own ? holding(others, { ...step, isShared: own.isShared }, own) : null;
  if (step.does === 'have' && (own || !step.mayTake)) return own ? holding(others, step, own) : null;
  // Its first attempt, whose outcome nobody was told, may have taken it.
  if (own) return own.token === null ? holding(others, step, own) : null;
  const isFree = held.every((one) => one.isShared && step.isShared);
  return isFree ? holding(held, step, null) : null;
}

function holding(others: readonly Held[], { requester, token, isShared, lease }: Held, own: Held | null): State {
  const one = { requester, token: token ?? own?.token ?? null, isShared, lease };
  return { isKnown: true, held: [...others, one].sort((a, b) => (a.requester < b.requester ? -1 : 1)) };
}

/** Nothing contradicts an unknown state. Calls that change it make it known, those that only look do not. */
function afterUnknown(step: Step): State {
  if (step.does === 'clear') return FREE;
  if (step.does === 'take' || step.does === 'have' || step.does === 'renew')
    return step.isShared ? UNKNOWN : holding([], step, null);
  return UNKNOWN;
}

/** Returns the state without the holds that end. */
export function without(state: State, ends: (held: Held) => boolean): State {
  const left = state.held.filter((held) => !ends(held));
  return left.length === state.held.length ? state : { ...state, held: left };
}

/** Returns a text that equal states share. */
export const textOf = ({ isKnown, held }: State): string =>
  isKnown ? held.map(({ requester, token, lease }) => `${requester} ${token} ${lease.key} ${lease.from}`).join() : '?';
