/**
 * Random steps of histories with bookings. A step is plain JSON, so that a failing history can be kept and run again.
 */
import fc from 'fast-check';
import type { Condition } from '../../src/domain/conditions.ts';
import { labelsOf, type Match } from './matching.ts';
import type { SessionChoice } from './sessionHistory.ts';
import type { Registration } from './state.ts';
import { grantableByFreeing } from './tickets.ts';
import type { History, Step, Take } from './waitingSteps.ts';

/** A booking to make: it starts so many s after the present one, and is so long. */
export type Booked = {
  resource: string;
  match?: Match;
  requester: string;
  startsIn: number;
  seconds: number;
  claimWithinSeconds?: number;
  /** Those of a call with one number are a series. */
  series?: number;
};

export type BookingStep =
  | { do: 'book'; items: Booked[]; skipConflicts: boolean }
  /** Of the nth that there is. */
  | { do: 'change booking'; nth: number; startsIn: number | null; seconds: number | null }
  | { do: 'cancel booking'; nth: number; of: 'one' | 'series' | 'resource' }
  /** Lets time pass until just before, at, or just behind the nth moment at which a booking starts or ends. */
  | { do: 'pass to'; nth: number; off: number };

interface Kind {
  readonly names: readonly string[];
  readonly resources: readonly string[];
  readonly capacities: readonly number[];
  /** One request in so many does not wait; 0: none waits. */
  readonly unwaiting: number;
  /** How often there are which steps. */
  readonly weights: Readonly<Partial<Record<Step['do'], number>>>;
}

const WEIGHTS = {
  ...{ register: 4, delete: 1, reset: 1, transaction: 3, 'begin session': 8, 'renew session': 3, 'set condition': 4 },
  ...{ book: 14, 'change booking': 4, 'cancel booking': 3, reserve: 18, unreserve: 14, renew: 6, beat: 3 },
  ...{ pass: 8, 'pass to': 8 },
};

export const KINDS: Readonly<Record<'single' | 'pool' | 'queue' | 'crowd', Kind>> = {
  single: {
    names: ['a'],
    resources: ['a', 'a', 'a', 'a', 'a', 'a', 'g>a', 'c'],
    capacities: [1],
    unwaiting: 0,
    weights: WEIGHTS,
  },
  pool: {
    names: ['p'],
    resources: ['p', 'p', 'p', 'p_0', 'p_1', 'p_2', 'os=x'],
    capacities: [2, 3, 3],
    unwaiting: 0,
    weights: WEIGHTS,
  },
  queue: {
    names: ['p', 'a'],
    resources: ['p', 'p', 'p', 'p_0', 'p_1', 'a', 'os=x'],
    capacities: [1, 2, 2, 3],
    unwaiting: 4,
    weights: { ...WEIGHTS, 'wait as a whole': 4, again: 12, cancel: 3, leave: 4 },
  },
  // Most steps are of requests that wait, for few slots.
  crowd: {
    names: ['p', 'a'],
    resources: ['p', 'p', 'p', 'p_0', 'a', 'a', 'a'],
    capacities: [1, 1, 2],
    unwaiting: 10,
    weights: {
      ...{ book: 10, 'change booking': 1, 'cancel booking': 2, reserve: 14, unreserve: 10, renew: 2, beat: 8 },
      ...{ pass: 8, 'pass to': 3, 'wait as a whole': 12, again: 14, cancel: 1, leave: 1 },
    },
  },
};

const does = <Name extends string>(name: Name) => fc.constant(name);
const few = <T>(arbitrary: fc.Arbitrary<T>, maxLength = 3) => fc.array(arbitrary, { minLength: 1, maxLength });
/** Mostly the first: if many requests are not valid, histories have too few bookings that are in the way of others. */
const seldom = <T>(first: T, ...others: T[]) =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(first) }, fc.constantFrom(...others));
const requester = fc.constantFrom('A', 'B', 'C');
const nth = fc.nat(9);
const ttlSeconds = fc.constantFrom(2, 10, 30, 60, 200);
/** Of renewals and claims: also beyond the next booking. */
const longTtlSeconds = fc.constantFrom(2, 60, 200, 600);
const minTtlSeconds = fc.constantFrom(null, null, 1, 2, 20);
const call = fc.record({
  instance: fc.constantFrom('instance0', 'instance1'),
  pollMs: fc.constantFrom(0, 20_000, 20_000, 100_000),
});
const wait = fc.record({
  waitSeconds: fc.constantFrom(20, 100, 300),
  priority: fc.constantFrom(-1, 0, 0, 0, 1),
  claimSeconds: fc.constantFrom(5, 30, 100),
});
const session = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.record({ of: does('own'), nth }) },
);
const condition = seldom<Condition>('ready', 'dirty', 'out');
const left = seldom<Condition | undefined>(undefined, 'ready', 'dirty', 'out');
const MATCH = { os: 'x' };

const isMatch = (resource: string) => resource === labelsOf(MATCH);

function stepsOf({ names, resources, capacities, unwaiting, weights }: Kind): fc.Arbitrary<Step> {
  const resource = fc.constantFrom(...resources);
  const take = fc
    .record({
      resource,
      requester,
      ttlSeconds,
      minTtlSeconds,
      session,
      count: seldom(1, 2),
      mode: seldom<'SHARED' | null>(null, 'SHARED'),
      unready: seldom<'dirty' | 'out' | null>(null, 'dirty', 'out'),
      wait: unwaiting === 0 ? fc.constant(null) : fc.option(wait, { freq: unwaiting - 1 }),
    })
    .map(({ minTtlSeconds, count, mode, unready, session, ...rest }): Take => {
      const { ttlSeconds } = rest;
      const isShared = mode === 'SHARED' && !isMatch(rest.resource);
      return {
        ...rest,
        ...(isMatch(rest.resource) && { match: MATCH }),
        ...(minTtlSeconds !== null && session === undefined && { minTtlSeconds: Math.min(minTtlSeconds, ttlSeconds) }),
        ...(session && { session: session as SessionChoice }),
        ...(isShared && { mode: 'SHARED' as const }),
        ...(!isShared && count > 1 && { count }),
        ...(!isShared && unready !== null && { condition: unready }),
      };
    });
  const giveBack = fc.record({ resource, requester, nth: fc.option(fc.nat(9), { freq: 5 }), left });
  const registration = fc
    .record({
      name: fc.constantFrom(...names),
      capacity: fc.constantFrom(...capacities),
      bookable: seldom<boolean | undefined>(true, undefined, false),
      treePath: seldom<string[]>([], ['g']),
      afterUse: seldom<'dirty' | 'ready' | undefined>(undefined, 'dirty', 'ready'),
      labels: fc.constantFrom({ os: 'x' }, { os: 'x' }, {}),
    })
    .map((one): Registration => ({ ...one, blocks: [], groups: true }));
  const booked = fc
    .record({
      resource,
      requester,
      startsIn: fc.oneof(
        { weight: 5, arbitrary: fc.integer({ min: 0, max: 6 }) },
        { weight: 10, arbitrary: fc.integer({ min: 5, max: 500 }) },
        { weight: 2, arbitrary: fc.constantFrom(-1, -60, -61) },
      ),
      seconds: fc.oneof({ weight: 15, arbitrary: fc.constantFrom(60, 60, 90, 120, 200) }, fc.constant(86_401)),
      claimWithinSeconds: fc.constantFrom(null, null, 60, 100),
      series: fc.constantFrom(null, null, 1),
    })
    .map(
      ({ claimWithinSeconds, series, ...one }): Booked => ({
        ...one,
        ...(isMatch(one.resource) && { match: MATCH }),
        ...(claimWithinSeconds !== null && { claimWithinSeconds }),
        ...(series !== null && { series }),
      }),
    );
  const steps: Readonly<Partial<Record<Step['do'], fc.Arbitrary<Step>>>> = {
    'wait as a whole': fc.record({
      do: does('wait as a whole'),
      method: fc.constantFrom('ALL_OR_NONE' as const, 'ALL_OR_NONE' as const, 'FIRST' as const),
      items: fc.oneof(few(take, 2), fc.tuple(take, take)).map(grantableByFreeing),
      session,
      requester,
      wait,
      call,
    }),
    again: fc.record({
      do: does('again'),
      nth,
      isGranted: fc.boolean(),
      ttlSeconds: longTtlSeconds,
      session,
      wait,
      call,
    }),
    cancel: fc.record({ do: does('cancel'), items: few(fc.record({ resource, requester }), 2) }),
    leave: fc.record({ do: does('leave'), nth }),
    register: fc.record({ do: does('register'), items: few(registration, 2) }),
    delete: fc.record({ do: does('delete'), name: fc.constantFrom(...names) }),
    transaction: fc.record({
      do: does('transaction'),
      method: fc.constantFrom('ALL_OR_NONE' as const, 'AS_MANY_AS_POSSIBLE' as const),
      items: few(fc.oneof(take, giveBack), 2),
    }),
    'begin session': fc.record({ do: does('begin session'), requester, ttlSeconds: fc.constantFrom(20, 100, 600) }),
    'renew session': fc.record({
      do: fc.constantFrom('renew session' as const, 'end session' as const),
      isEnded: fc.constant(false),
      nth,
      isTokenRight: fc.constantFrom(true, true, true, false),
    }),
    'set condition': fc.record({ do: does('set condition'), items: few(fc.record({ resource, condition }), 2) }),
    reset: fc.record({ do: does('reset') }),
    book: fc.record({ do: does('book'), items: few(booked, 2), skipConflicts: fc.boolean() }),
    'change booking': fc.record({
      do: does('change booking'),
      nth,
      startsIn: fc.option(fc.oneof(fc.integer({ min: -2, max: 200 }), fc.constantFrom(-60, -61)), { nil: null }),
      seconds: fc.option(fc.constantFrom(60, 100, 30), { nil: null }),
    }),
    'cancel booking': fc.record({
      do: does('cancel booking'),
      nth,
      of: fc.constantFrom('one' as const, 'one' as const, 'one' as const, 'series' as const, 'resource' as const),
    }),
    reserve: fc.record({ do: does('reserve'), items: few(take, 2), call }),
    unreserve: fc.record({ do: does('unreserve'), items: few(giveBack, 2), isHandOver: fc.boolean() }),
    renew: fc.record({
      do: does('renew'),
      items: few(
        fc.tuple(giveBack, longTtlSeconds, minTtlSeconds).map(([item, ttlSeconds, least]) => ({
          ...item,
          ttlSeconds,
          ...(least !== null && { minTtlSeconds: Math.min(least, ttlSeconds) }),
        })),
      ),
    }),
    beat: fc.record({ do: does('beat'), instance: fc.constantFrom('instance0', 'instance1') }),
    pass: fc.record({
      do: does('pass'),
      ms: fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 60_000 })),
    }),
    'pass to': fc.record({ do: does('pass to'), nth: fc.nat(3), off: fc.constantFrom(-1, 0, 0, 1, 500) }),
  };
  return fc.oneof(
    ...Object.entries(steps).map(([name, arbitrary]) => ({ weight: weights[name as Step['do']] ?? 0, arbitrary })),
  );
}

/** Histories of one tenant, of up to so many steps. */
export const bookingHistories = (kind: keyof typeof KINDS, maxLength: number): fc.Arbitrary<History> => {
  const { names, capacities } = KINDS[kind];
  const register = fc
    .record({
      capacity: fc.constantFrom(...capacities),
      afterUse: seldom<'dirty' | undefined>(undefined, 'dirty'),
    })
    .map(
      ({ capacity, afterUse }): Step => ({
        do: 'register',
        items: names.map((name) => ({
          name,
          capacity,
          afterUse,
          bookable: true,
          blocks: [],
          treePath: [],
          labels: MATCH,
        })),
      }),
    );
  const ready: Step = { do: 'set condition', items: names.map((resource) => ({ resource, condition: 'ready' })) };
  return fc
    .tuple(register, fc.array(stepsOf(KINDS[kind]), { maxLength, size: 'max' }))
    .map(([first, rest]) => ({ cap: null, steps: [first, ready, ...rest] }));
};
