/** Reads what a caller wants to reserve, and how: names or a match, and the options. */
import { msOf, secondsOf } from '../durations.ts';
import { HoldfastError } from '../errors.ts';
import type { Match, ReserveItem, ReserveOptions, Waiting, Wanted } from '../types.ts';

const DEFAULT_TTL = '30s';

/** Options with a match stand for themselves: they need no name. */
export type MatchOptions = ReserveOptions & { readonly match: Match };

/** What to reserve: a name, several names to take together, or options with `match`. */
export type Target = Wanted | MatchOptions;

/** A reserve item without the fields that differ with each request. */
export type PlanItem = Omit<ReserveItem, 'requester' | 'waitSeconds' | 'priority' | 'claimSeconds'>;

export interface Plan {
  /** What is taken, for messages: `printer`, `a, b`. */
  readonly title: string;
  /** The names that it takes, or the text of its match. */
  readonly keys: readonly [string, ...string[]];
  readonly items: readonly [PlanItem, ...PlanItem[]];
  /** The lease as the service knows it; Infinity: it never ends by itself. Unimportant in a session. */
  readonly ttlMs: number;
  readonly waitMs: number | undefined;
  readonly priority: number | undefined;
  readonly requester: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onWaiting: ((waiting: Waiting) => void) | undefined;
}

/**
 * @param session the session that its reservations belong to, instead of a lease of their own
 * @throws HoldfastError INVALID_OPTION
 */
export function planOf(target: Target, options: ReserveOptions = {}, session?: string): Plan {
  const isNamed = typeof target === 'string' || Array.isArray(target);
  const all: ReserveOptions = isNamed ? options : { ...options, ...target };
  const { ttl = DEFAULT_TTL, wait, count, mode, match, note, priority, requester, signal, onWaiting } = all;
  if (isNamed && match !== undefined) throw invalid('a name and a match exclude each other');
  if (session !== undefined && all.ttl !== undefined) throw invalid('the session has the ttl of its reservations');
  const waitMs = wait === undefined ? 0 : msOf(wait, 'wait');
  if (waitMs === Number.POSITIVE_INFINITY) throw invalid("wait has to end; the longest is '1d'");
  const ttlSeconds = secondsOf(ttl, 'ttl');
  const hasLease = ttlSeconds !== Number.POSITIVE_INFINITY && session === undefined;
  const itemOf = (key: string): PlanItem => ({
    ...(match === undefined ? { resource: key } : { match }),
    ...(hasLease && { ttlSeconds }),
    ...(session !== undefined && { session }),
    ...(note !== undefined && { note }),
    ...(count !== undefined && { count }),
    ...(mode !== undefined && { mode }),
  });
  const [first, ...others] = isNamed ? namesOf(target) : [textOf(match ?? {})];
  return {
    title: [first, ...others].join(', '),
    keys: [first, ...others],
    items: [itemOf(first), ...others.map(itemOf)],
    ttlMs: ttlSeconds * 1000,
    waitMs: waitMs === 0 ? undefined : waitMs,
    priority,
    requester,
    signal,
    onWaiting,
  };
}

function namesOf(target: Wanted): [string, ...string[]] {
  if (typeof target === 'string') return [target];
  const [first, ...others] = target;
  if (first === undefined) throw invalid('at least one name is needed');
  if (new Set([first, ...others]).size <= others.length)
    throw invalid('a name stands there twice; count takes several slots');
  return [first, ...others];
}

const MAX_TEXT = 200;

/** The text that the service has for a match (docs/specification.md#any-resource-that-fits). It cancels its ticket. */
export function textOf(match: Match): string {
  const lines = Object.entries(match).flatMap(([key, values]) => [values].flat().map((value) => `${key}=${value}`));
  const characters = [...[...new Set(lines.sort())].join(',')];
  return characters.length <= MAX_TEXT ? characters.join('') : `${characters.slice(0, MAX_TEXT - 1).join('')}…`;
}

const invalid = (message: string) => new HoldfastError('INVALID_OPTION', message);
