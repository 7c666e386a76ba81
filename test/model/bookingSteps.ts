/**
 * Random steps of histories with bookings. A step is plain JSON, so that a failing history can be kept and run again.
 */
import fc from 'fast-check';
import type { Condition } from '../../src/domain/conditions.ts';
import { labelsOf, type Match } from './matching.ts';
import type { SessionChoice } from './sessionHistory.ts';
import type { Registration } from './state.ts';
import { inOneCondition } from './tickets.ts';
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
  readonly isWaiting: boolean;
}

export const KINDS: Readonly<Record<'single' | 'pool' | 'queue', Kind>> = {
  single: { names: ['a'], resources: ['a', 'a', 'g>a', 'c'], capacities: [1], isWaiting: false },
  pool: {
    names: ['p'],
    resources: ['p', 'p', 'p', 'p_0', 'p_1', 'p_2', 'os=x'],
    capacities: [2, 3, 3],
    isWaiting: false,
  },
  queue: {
    names: ['p', 'a'],
    resources: ['p', 'p', 'p', 'p_0', 'p_1', 'a', 'os=x'],
    capacities: [1, 2, 2, 3],
    isWaiting: true,
  },
};

const does = <Name extends string>(name: Name) => fc.constant(name);
const few = <T>(arbitrary: fc.Arbitrary<T>, maxLength = 3) => fc.array(arbitrary, { minLength: 1, maxLength });
const requester = fc.constantFrom('A', 'B', 'C');
const nth = fc.nat(9);
const ttlSeconds = fc.constantFrom(2, 10, 30, 60, 90, 200);
const minTtlSeconds = fc.constantFrom(null, null, 1, 2, 20);
const call = fc.record({
  instance: fc.constantFrom('instance0', 'instance1'),
  pollMs: fc.constantFrom(0, 20_000, 20_000, 100_000),
});
const wait = fc.record({
  waitSeconds: fc.constantFrom(20, 100, 300),
  priority: fc.constantFrom(-1, 0, 0, 0, 1),
  claimSeconds: fc.constantFrom(5, 5, 30),
});
const session = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.record({ of: does('own'), nth }) },
);
const condition = fc.constantFrom<Condition>('ready', 'ready', 'ready', 'dirty', 'out');
const left = fc.constantFrom<Condition | undefined>(undefined, undefined, undefined, 'ready', 'dirty', 'out');
const MATCH = { os: 'x' };

const isMatch = (resource: string) => resource === labelsOf(MATCH);

function stepsOf({ names, resources, capacities, isWaiting }: Kind): fc.Arbitrary<Step> {
  const resource = fc.constantFrom(...resources);
  const take = fc
    .record({
      resource,
      requester,
      ttlSeconds,
      minTtlSeconds,
      session,
      count: fc.constantFrom(1, 1, 1, 1, 2),
      mode: fc.constantFrom<'SHARED' | null>(null, null, null, null, 'SHARED'),
      unready: fc.constantFrom<'dirty' | 'out' | null>(null, null, null, null, null, 'dirty', 'out'),
      wait: isWaiting ? fc.option(wait, { freq: 3 }) : fc.constant(null),
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
      bookable: fc.constantFrom(true, true, true, true, undefined, false),
      treePath: fc.constantFrom<string[]>([], [], ['g']),
      afterUse: fc.constantFrom(undefined, undefined, 'dirty' as const, 'ready' as const),
      labels: fc.constantFrom({ os: 'x' }, { os: 'x' }, {}),
    })
    .map((one): Registration => ({ ...one, blocks: [], groups: true }));
  const booked = fc
    .record({
      resource,
      requester,
      startsIn: fc.oneof(
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 5, max: 200 }),
        fc.constantFrom(-1, -60, -61),
      ),
      seconds: fc.constantFrom(60, 60, 90, 120, 200, 59_000_000),
      claimWithinSeconds: fc.constantFrom(null, null, 60, 100),
      series: fc.constantFrom(null, null, 1),
    })
    .map(
      ({ claimWithinSeconds, series, seconds, ...one }): Booked => ({
        ...one,
        seconds: seconds > 1000 ? 86_401 : seconds,
        ...(isMatch(one.resource) && { match: MATCH }),
        ...(claimWithinSeconds !== null && { claimWithinSeconds }),
        ...(series !== null && { series }),
      }),
    );
  const waiting: fc.WeightedArbitrary<Step>[] = [
    {
      weight: 4,
      arbitrary: fc.record({
        do: does('wait as a whole'),
        method: fc.constantFrom('ALL_OR_NONE' as const, 'FIRST' as const),
        items: few(take, 2).map(inOneCondition),
        session,
        requester,
        wait,
        call,
      }),
    },
    { weight: 6, arbitrary: fc.record({ do: does('again'), nth, ttlSeconds, session, wait, call }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: does('cancel'), items: few(fc.record({ resource, requester }), 2) }),
    },
    { weight: 4, arbitrary: fc.record({ do: does('leave'), nth }) },
  ];
  return fc.oneof(
    { weight: 2, arbitrary: fc.record({ do: does('register'), items: few(registration, 2) }) },
    { weight: 1, arbitrary: fc.record({ do: does('delete'), name: fc.constantFrom(...names) }) },
    {
      weight: 14,
      arbitrary: fc.record({ do: does('book'), items: few(booked, 3), skipConflicts: fc.boolean() }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: does('change booking'),
        nth,
        startsIn: fc.option(fc.oneof(fc.integer({ min: -2, max: 200 }), fc.constantFrom(-60, -61))),
        seconds: fc.option(fc.constantFrom(60, 100, 30)),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: does('cancel booking'),
        nth,
        of: fc.constantFrom('one' as const, 'one' as const, 'one' as const, 'series' as const, 'resource' as const),
      }),
    },
    { weight: 18, arbitrary: fc.record({ do: does('reserve'), items: few(take), call }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: does('transaction'),
        method: fc.constantFrom('ALL_OR_NONE' as const, 'AS_MANY_AS_POSSIBLE' as const),
        items: few(fc.oneof(take, giveBack), 2),
      }),
    },
    { weight: 7, arbitrary: fc.record({ do: does('unreserve'), items: few(giveBack, 2), isHandOver: fc.boolean() }) },
    {
      weight: 6,
      arbitrary: fc.record({
        do: does('renew'),
        items: few(
          fc.tuple(giveBack, ttlSeconds, minTtlSeconds).map(([item, ttlSeconds, least]) => ({
            ...item,
            ttlSeconds,
            ...(least !== null && { minTtlSeconds: Math.min(least, ttlSeconds) }),
          })),
        ),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: does('begin session'), requester, ttlSeconds: fc.constantFrom(20, 100) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('renew session' as const, 'end session' as const),
        isEnded: fc.constant(false),
        nth,
        isTokenRight: fc.constantFrom(true, true, true, false),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: does('set condition'), items: few(fc.record({ resource, condition }), 2) }),
    },
    { weight: 3, arbitrary: fc.record({ do: does('beat'), instance: fc.constantFrom('instance0', 'instance1') }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: does('pass'),
        ms: fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 90_000 })),
      }),
    },
    {
      weight: 12,
      arbitrary: fc.record({ do: does('pass to'), nth: fc.nat(3), off: fc.constantFrom(-1, 0, 0, 1, 500) }),
    },
    { weight: 1, arbitrary: fc.record({ do: does('reset') }) },
    ...(isWaiting ? waiting : []),
  );
}

/** Histories of one tenant, of up to so many steps. */
export const bookingHistories = (kind: keyof typeof KINDS, maxLength: number): fc.Arbitrary<History> => {
  const { names, capacities } = KINDS[kind];
  const register = fc
    .record({
      capacity: fc.constantFrom(...capacities),
      afterUse: fc.constantFrom(undefined, undefined, 'dirty' as const),
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
