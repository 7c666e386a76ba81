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

/** What one item of a call did, or saw. */
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
