/** Reads what a caller wants to reserve, and how: names or a match, and the options. */
import { ENDLESS, ttlSecondsOf, waitMsOf } from '../durations.ts';
import { invalid, refuseUnknown } from '../errors.ts';
import { valuesOf } from '../match.ts';
import type { Match, ReserveItem, ReserveOptions, Waiting, Wanted } from '../types.ts';

/** Options with a match stand for themselves: they need no name. */
export type MatchOptions = ReserveOptions & { readonly match: Match };

/** The resources to reserve: a name, several names to take together, or options with `match`. */
export type Target = Wanted | MatchOptions;

/** A reserve item without the fields that differ with each request. */
export type PlanItem = Omit<ReserveItem, 'requester' | 'waitSeconds' | 'priority' | 'claimSeconds'>;

export interface Plan {
  /** The resources that it takes, for messages: `printer`, `a, b`, `3 × os=android`. */
  readonly title: string;
  /** The names that it takes, and the text of its match. */
  readonly keys: readonly [string, ...string[]];
  readonly items: readonly [PlanItem, ...PlanItem[]];
  /** The lease as the service knows it; Infinity: it never ends by itself. Unimportant in a session. */
  readonly ttlMs: number;
  readonly waitMs: number | undefined;
  readonly priority: number | undefined;
  readonly requester: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onWaiting: ((waiting: Waiting) => void) | undefined;
  readonly onEndFixed: ((end: Date) => void) | undefined;
}

/** As JSON has it, which leaves out fields that are undefined: types with exact optional properties refuse them. */
export const itemOf = <T extends object>(fields: T) => fields as { [Name in keyof T]?: Exclude<T[Name], undefined> };

/**
 * @param session the session that its reservations belong to, instead of a lease of their own
 * @throws HoldfastError INVALID_OPTION
 */
export function planOf(target: Target, options: ReserveOptions = {}, session?: string): Plan {
  const isNamed = typeof target === 'string' || Array.isArray(target);
  if (typeof options !== 'object') throw invalid('options must be an object');
  const all: ReserveOptions = isNamed ? { ...options } : { ...options, ...target };
  const { ttl, minTtl, wait, count, mode, condition, match, quantity, note, priority, requester, ...others } = all;
  const { signal, onWaiting, onEndFixed, ...rest } = others;
  refuseUnknown(rest);
  if (!isNamed && match === undefined) throw invalid('the target is a name, several names, or { match }');
  const text = match && textOf(match);
  const copies = copiesOf(text, quantity);
  if (session !== undefined && (ttl ?? requester) !== undefined) throw invalid('the session has ttl and requester');
  const waitMs = waitMsOf(wait);
  const ttlSeconds = ttlSecondsOf(ttl);
  checkPriority(priority);
  if (waitMs > 0 && ttlSeconds === ENDLESS && session === undefined) throw invalid(WAIT_NEEDS_TTL);
  const hasLease = ttlSeconds !== ENDLESS && session === undefined;
  const lease = hasLease ? ttlSeconds : undefined;
  const minTtlSeconds = minTtl === undefined ? undefined : ttlSecondsOf(minTtl);
  // The spread comes last: V8 takes 2 µs for each property that is added to a copy.
  const itemFor = (wanted: { readonly resource?: string; readonly match?: Match | undefined }): PlanItem =>
    itemOf({ ttlSeconds: lease, minTtlSeconds, session, note, count, mode, condition, ...wanted });
  // A match does not pick what its requester has: so names come first.
  const names: readonly string[] = isNamed ? namesOf(target) : [];
  const [first = '', ...more] = [...names, ...copies];
  const [item = {}, ...items] = [
    ...names.map((resource) => itemFor({ resource })),
    ...copies.map(() => itemFor({ match })),
  ];
  return {
    title: names.concat(copies.length > 1 ? `${copies.length} × ${text}` : copies).join(', '),
    keys: [first, ...more],
    items: [item, ...items],
    ttlMs: ttlSeconds * 1000,
    waitMs: waitMs === 0 ? undefined : waitMs,
    priority,
    requester,
    signal,
    onWaiting,
    onEndFixed,
  };
}

/** Otherwise a grant to a caller that has died unnoticed would never end. */
export const WAIT_NEEDS_TTL = 'a request that waits needs a ttl that ends, not Infinity';

/** Also without a wait, which the service would not see. @throws HoldfastError INVALID_OPTION */
export function checkPriority(priority = 0): void {
  if (!Number.isInteger(priority) || Math.abs(priority) > 100)
    throw invalid(`priority is an integer from -100 to 100, not ${priority}`);
}

/** The text of a match, as often as it is wanted. @throws HoldfastError INVALID_OPTION */
function copiesOf(text: string | undefined, quantity: number | undefined): readonly string[] {
  if (quantity !== undefined && (text === undefined || !Number.isInteger(quantity) || quantity < 1))
    throw invalid(`quantity is a number of resources with a match, at least 1, not ${quantity}`);
  return text === undefined ? [] : Array.from({ length: quantity ?? 1 }, () => text);
}

function namesOf(target: Wanted): [string, ...string[]] {
  if (typeof target === 'string') return [target];
  const [first, ...others] = target;
  if (first === undefined) throw invalid('at least one name is needed');
  if (new Set([first, ...others]).size <= others.length) throw invalid('a name is there twice');
  return [first, ...others];
}

const MAX_TEXT = 200;

/** The text that the service has for a match (docs/specification.md#any-resource-that-fits). It cancels its ticket. */
export function textOf(match: Match): string {
  const lines = Object.entries(match).flatMap(([key, values]) => {
    const [sign, list] = valuesOf(values);
    return list.map((value) => `${key}${sign}${value}`);
  });
  const characters = [...[...new Set(lines.sort())].join(',')];
  return characters.length <= MAX_TEXT ? characters.join('') : `${characters.slice(0, MAX_TEXT - 1).join('')}…`;
}
