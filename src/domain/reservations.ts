/**
 * Statuses of reservations and sessions (docs/specification.md#item-statuses), and options of requests.
 * src/contract/reservations.ts has the requests and results.
 */
export const RESERVE_STATUSES = [
  'ACQUIRED',
  'ALREADY_HAD',
  'WAITING',
  'ALREADY_HELD',
  'NOT_AVAILABLE',
  'NOT_VALID',
] as const;

export const UNRESERVE_STATUSES = ['RELINQUISHED', 'NOT_RESERVED', 'DOESNT_OWN_RESERVATION'] as const;

export const CANCEL_STATUSES = ['CANCELLED', 'NOT_WAITING'] as const;

/** NOT_AVAILABLE: a booking of another begins before the new lease would end; the reservation stays as it is. */
export const RENEW_STATUSES = ['RENEWED', 'NOT_AVAILABLE', 'NOT_RESERVED', 'DOESNT_OWN_RESERVATION'] as const;

/** The `explanation` of an item whose release token is wrong or missing (docs/specification.md#item-statuses). */
export const INVALID_RELEASE_TOKEN = 'INVALID_RELEASE_TOKEN';

export const TRANSACTION_METHODS = ['ALL_OR_NONE', 'AS_MANY_AS_POSSIBLE', 'FIRST'] as const;
export type TransactionMethod = (typeof TRANSACTION_METHODS)[number];

export const TRANSACTION_STATUSES = ['APPLIED', 'WAITING', 'ROLLED_BACK'] as const;

/** Kinds of reasons why a reserve is refused or waits (docs/specification.md#who-is-in-the-way). */
export const REASONS = ['SLOTS', 'ANCESTOR', 'BLOCKER', 'BOOKING', 'QUEUE'] as const;

/** Mode of a reservation: it holds its resource alone, or together with others (docs/specification.md#shared-holds). */
export const MODES = ['EXCLUSIVE', 'SHARED'] as const;
export type Mode = (typeof MODES)[number];

/**
 * The bounds and statuses of sessions (docs/specification.md#sessions).
 */
export const MIN_SESSION_SECONDS = 5;
export const MAX_SESSION_SECONDS = 86_400;

export const RENEW_SESSION_STATUSES = ['RENEWED', 'NOT_FOUND'] as const;
export const END_SESSION_STATUSES = ['ENDED', 'NOT_FOUND'] as const;

/** One value of a label, or several. */
type Values = string | readonly string[];

/**
 * The labels that a request wants instead of naming a resource (docs/specification.md#any-resource-that-fits): label →
 * the value that it must have, values of which it must have one, or values of which it must have none.
 */
export type Match = Readonly<Record<string, Values | { readonly not: Values }>>;

/** The resource of a reserve item, or a match for any that fits. */
export interface Asked {
  readonly resource?: string | undefined;
  readonly match?: Match | undefined;
}

/** The longest text of a match, in characters; longer ones are cut. It is short enough for the name of a resource. */
const MAX_TEXT = 200;

const isUnwanted = (values: Match[string]): values is { readonly not: Values } =>
  typeof values === 'object' && 'not' in values;

/**
 * The wanted labels, each `<key>=<value>`, and the unwanted ones, each `<key>!=<value>`, sorted. Of several wanted ones
 * with the same key, a resource needs one.
 */
const linesOfMatch = (match: Match): string[] => [
  ...new Set(
    Object.entries(match)
      .flatMap(([key, values]) => {
        const [sign, list] = isUnwanted(values) ? ['!=', values.not] : ['=', values];
        return [list].flat().map((value) => `${key}${sign}${value}`);
      })
      .sort(),
  ),
];

/** The text that stands for a match where a resource's name would, `os=android,site!=berlin`. */
export function textOfMatch(match: Match): string {
  const characters = [...linesOfMatch(match).join(',')];
  return characters.length <= MAX_TEXT ? characters.join('') : `${characters.slice(0, MAX_TEXT - 1).join('')}…`;
}

/** All that an item says about what it asks for. */
export const textOfAsked = ({ resource = '', match }: Asked): string =>
  match === undefined ? resource : linesOfMatch(match).join('\n');
