/**
 * Generates items of requests that may take the short way (lua/plain), from a seed.
 */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { itemArgs } from '../../src/redis/layouts.ts';

/** Redis's own measure of a key differs by some bytes between keys with the same entries, so entries are counted. */
export const COUNTED_BYTES = readFileSync('lua/limits/bytes.lua', 'utf8').replace(
  /return redis\.call\('MEMORY'.*/,
  `local count = ({ hash = 'HLEN', zset = 'ZCARD', list = 'LLEN', stream = 'XLEN' })[redis.call('TYPE', key).ok]
    return count and 150 * redis.call(count, key) or 0`,
);

/** Numbers from a seed, so that a failure can be repeated: PLAIN_SEED. */
export const seed = Number(process.env.PLAIN_SEED ?? randomInt(1, 2 ** 31 - 1));
let state = seed;
export const below = (limit: number): number => {
  state = (state * 48_271) % 2_147_483_647;
  return state % limit;
};
export const pick = <T>(values: readonly [T, ...T[]]): T => values[below(values.length)] ?? values[0];
export const isOneIn = (number: number): boolean => below(number) === 0;

const NAMES = [
  'a',
  'b',
  'c',
  'd',
  'a>b',
  'root>leaf',
  'leaf',
  'pool',
  'pool_1',
  'one',
  'one_3',
  'one_4',
  'team',
  'job_7',
  'job-7',
  'é"\\',
] as const;
const REQUESTERS = ['r', 's', 'person:"x"'] as const;
/** Of a tenant in which requests wait: for some of these names. */
export const AWAITED_NAMES = [
  'a',
  'b',
  'c',
  'd',
  'e',
  'job_7',
  'one',
  'one_4',
  'leaf',
  'pool',
  'pool_1',
  'gated',
] as const;
/** Of pools: one that is soon full, one of which more slots are held than one bitmap has, and names like slots'. */
const POOL_NAMES = [
  'pool',
  'pool_0',
  'pool_1',
  'pool_2',
  'big',
  'big',
  'big_3',
  'big_599',
  'big_600',
  'big_07',
  'big_540',
  'big_541',
  'big_542',
] as const;
export const SLOT_LIKE_NAMES = [
  'job_7',
  'job_8',
  'job_513',
  'job',
  'é"\\_1',
  'marked',
  'marked_1',
  'gated',
  'gated_1',
  'washed',
  'washed_1',
] as const;
export const MANY_NAMES = [...POOL_NAMES, ...SLOT_LIKE_NAMES] as const;
/** Of pools of which slots may not be ready. */
export const WORN_NAMES = ['pool', 'pool', 'pool_0', 'pool_1', 'big', 'big', 'big_3', 'marked', 'washed'] as const;
const WORN_SLOTS = ['pool', 'pool_0', 'pool_0', 'pool_1', 'marked_0', 'washed', 'washed_1', 'one'] as const;

/** Returns the resources of a tenant: one has labels, or one is dirty after use. */
export function resourcesOf({ hasLabels, hasConditions }: { hasLabels?: boolean; hasConditions?: boolean }) {
  return [
    { name: 'root', capacity: 3, blocks: [], treePath: null },
    { name: 'leaf', capacity: 1, blocks: ['d'], treePath: 'root' },
    { name: 'pool', capacity: 2, blocks: [], treePath: null },
    { name: 'one', capacity: 1, blocks: [], treePath: null },
    { name: 'one_4', capacity: 1, blocks: [], treePath: null },
    { name: 'team', capacity: 1, blocks: [], treePath: null, group: true },
    { name: 'big', capacity: 600, blocks: [], treePath: null },
    { name: 'gated', capacity: 3, blocks: ['d'], treePath: null },
    { name: 'marked', capacity: 2, blocks: [], treePath: null, ...(hasLabels && { labels: { size: 'big' } }) },
    {
      name: 'washed',
      capacity: 3,
      blocks: [],
      treePath: null,
      ...(hasConditions && { afterUse: 'dirty' as const }),
    },
  ];
}

export type Args = (string | number)[];
type Names = readonly [string, ...string[]];
export interface Held {
  readonly resource: string;
  readonly requester: string;
  readonly token: string;
}

let tokens = 0;
export const newToken = (): string => String(tokens++).padStart(22, 'T');

/** Returns whose an item is: of pools often one who has lately reserved, since an owner may have several slots. */
function requesterOf(held: readonly Held[], names: Names): string {
  if (names === NAMES || names === AWAITED_NAMES || isOneIn(3)) return pick(REQUESTERS);
  return (isOneIn(2) && held.at(-1 - below(6))?.requester) || `r${below(40)}`;
}

/**
 * @param wait '<waitMs> <priority> <claimMs>' if it may wait
 */
export function reserveItem(held: Held[], names: Names = NAMES, wait = ''): Args {
  const requester = requesterOf(held, names);
  const [resource, token] = [pick(names), newToken()];
  held.push({ resource, requester, token });
  const options = isOneIn(12)
    ? pick(['{"note":"n"}', '{"mode":"SHARED"}', '{"condition":"out"}', '{"condition":"dirty"}'])
    : '';
  const count = isOneIn(25) ? 2 : '';
  const [type, lease] = [pick(['', 'Device']), pick(['', '', 1500, 60_000])];
  return itemArgs('reserve', { resource, requester, token, lease, type, wait, count, options });
}

export function unreserveItem(held: readonly Held[]): Args {
  // Most of what was asked for long ago is not held any more.
  const recent = isOneIn(2) ? held.slice(-12) : held;
  const one = recent[below(Math.max(1, recent.length))] ?? { resource: 'a', requester: 'r', token: newToken() };
  return [one.resource, one.requester, isOneIn(10) ? pick(['', newToken()]) : one.token];
}

/** An item that sets the condition of slots, mostly of those that pools give next. */
export function conditionItem(): Args {
  const resource = isOneIn(4) ? `big_${isOneIn(2) ? below(50) : 490 + below(60)}` : pick(WORN_SLOTS);
  return [resource, pick(['out', 'dirty', 'ready', 'ready']), pick(['', 'broken'])];
}
