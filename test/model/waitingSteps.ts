/**
 * Random steps of histories with a queue. A step is plain JSON, so that a failing history can be kept and run again.
 */
import fc from 'fast-check';
import type { AfterUse, Condition } from '../../src/domain/conditions.ts';
import type { TransactionMethod } from '../../src/domain/reservations.ts';
import type { BookingStep } from './bookingSteps.ts';
import { labelsOf, type Match } from './matching.ts';
import type { SessionChoice, SessionStep } from './sessionHistory.ts';
import type { Registration } from './state.ts';
import { type Call, grantableByFreeing, type Wait } from './tickets.ts';

export type Take = {
  resource: string;
  requester: string;
  /** Counts if the item has no session, or its requester none. */
  ttlSeconds: number;
  minTtlSeconds?: number;
  session?: SessionChoice;
  count?: number;
  mode?: 'SHARED';
  condition?: 'dirty' | 'out';
  /** The resource is its text then. */
  match?: Match;
  wait: Wait | null;
};
/** Which reservation is released: the nth that there is, or whatever this requester has of this resource. */
export type GiveBack = { resource: string; requester: string; nth: number | null; left?: Condition | undefined };

type Waits = { session?: SessionChoice | undefined; wait: Wait; call: Call };

export type Step =
  | SessionStep
  | BookingStep
  | { do: 'register'; items: Registration[] }
  | { do: 'delete'; name: string }
  | { do: 'require registration'; on: boolean }
  | { do: 'reserve'; items: Take[]; call: Call }
  | ({
      do: 'wait as a whole';
      method: 'ALL_OR_NONE' | 'FIRST';
      /** All have one session, or none. */
      items: Take[];
      requester: string;
    } & Waits)
  /** Sends the request of the nth ticket, or grant, again; of the nth grant, if isGranted. */
  | ({ do: 'again'; nth: number; isGranted?: boolean; ttlSeconds: number } & Waits)
  | { do: 'transaction'; method: TransactionMethod; items: (Take | GiveBack)[] }
  /** Released slots may be handed over to the calls of all tickets, if isHandOver. */
  | { do: 'unreserve'; items: GiveBack[]; isHandOver?: boolean | undefined }
  | { do: 'renew'; items: (GiveBack & { ttlSeconds: number; minTtlSeconds?: number })[] }
  | { do: 'cancel'; items: { resource: string; requester: string }[] }
  | { do: 'set condition'; items: { resource: string; condition: Condition }[] }
  | { do: 'beat'; instance: string }
  /** The call for the nth ticket has ended. */
  | { do: 'leave'; nth: number }
  | { do: 'pass'; ms: number }
  | { do: 'reset' };

const NAMES = ['p', 'q', 'a', 'b', 'ink'];
/** Names of requests; some more often than others. */
export const RESOURCES = [...NAMES, 'p', 'p', 'a', 'r', 'p_0', 'p_1', 'q_0', 'r>a', 'c'];
const INSTANCES = ['instance0', 'instance1'];

const resource = fc.constantFrom(...RESOURCES);
const requester = fc.constantFrom('A', 'B', 'C', 'D');
const ttlSeconds = fc.integer({ min: 1, max: 8 });
const wait = fc.record({
  waitSeconds: fc.integer({ min: 4, max: 20 }),
  priority: fc.constantFrom(-1, 0, 0, 0, 1),
  claimSeconds: fc.constant(5),
});
const call = fc.record({ instance: fc.constantFrom(...INSTANCES), pollMs: fc.constantFrom(0, 20_000, 20_000, 4000) });
const count = fc.constantFrom(1, 1, 1, 1, 2, 2, 3);
const mode = fc.constantFrom<'SHARED' | null>(null, null, null, 'SHARED');
const unready = fc.constantFrom<'dirty' | 'out' | null>(null, null, null, null, null, 'dirty', 'dirty', 'out');
const condition = fc.constantFrom<Condition>('ready', 'ready', 'dirty', 'out');
const [left, nth] = [
  fc.constantFrom<Condition | undefined>(undefined, undefined, undefined, 'ready', 'dirty', 'out'),
  fc.nat(9),
];
const session = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.record({ of: fc.constantFrom(...Array<'own'>(11).fill('own'), 'any' as const), nth }) },
);
const take = fc
  .record({ resource, requester, ttlSeconds, session, count, mode, unready, wait: fc.option(wait, { freq: 4 }) })
  .map(({ count, mode, unready, session, ...rest }): Take => {
    const condition = unready === null || mode === 'SHARED' ? {} : { condition: unready };
    const item = session === undefined ? { ...rest, ...condition } : { ...rest, ...condition, session };
    if (mode === 'SHARED') return { ...item, mode };
    return count === 1 ? item : { ...item, count };
  });
const match = fc.constantFrom<Match>(
  { os: 'a' },
  { os: 'a' },
  { os: 'b' },
  { os: ['a', 'b'] },
  { x: '', os: ['b', 'a'] },
  { os: ['a', 'b'], x: { not: '' } },
);
const takeAny = fc
  .tuple(take, match)
  .map(([{ mode, ...item }, match]): Take => ({ ...item, resource: labelsOf(match), match }));
const takeOne = fc.oneof({ weight: 2, arbitrary: take }, { weight: 1, arbitrary: takeAny });
const giveBack = fc.record({ resource, requester, nth: fc.option(fc.nat(9), { freq: 5 }), left });
const few = <T>(arbitrary: fc.Arbitrary<T>, maxLength = 3) => fc.array(arbitrary, { minLength: 1, maxLength });

const registration: fc.Arbitrary<Registration> = fc
  .record({
    name: fc.constantFrom(...NAMES),
    capacity: fc.constantFrom(1, 2, 3),
    blocks: fc.constantFrom<string[]>([], [], [], ['ink'], ['ink'], ['a'], ['q_0']),
    treePath: fc.constantFrom<string[]>([], [], ['r'], ['r']),
    labels: fc.constantFrom(undefined, { os: 'a' }, { os: 'a' }, { os: 'b', x: '' }, {}),
    afterUse: fc.constantFrom<AfterUse | undefined>(undefined, undefined, 'dirty', 'ready'),
    attributes: fc.constantFrom(undefined, { hub: '10' }, {}),
  })
  .map(({ name, blocks, ...rest }) => ({
    ...rest,
    name,
    blocks: blocks.filter((one) => one !== name && one !== `${name}_0`),
  }));

const does = <Name extends string>(name: Name) => fc.constant(name);
const register = fc.record({ do: does('register'), items: few(registration, 4) });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: register },
  { weight: 1, arbitrary: fc.record({ do: does('delete'), name: fc.constantFrom(...NAMES) }) },
  { weight: 20, arbitrary: fc.record({ do: does('reserve'), items: few(takeOne), call }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: does('wait as a whole'),
      method: fc.constantFrom('ALL_OR_NONE' as const, 'FIRST' as const),
      items: few(takeOne).map(grantableByFreeing),
      session,
      requester,
      wait,
      call,
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: does('again'), nth, ttlSeconds, session, wait, call }) },
  {
    weight: 4,
    arbitrary: fc.oneof(
      fc.record({ do: does('transaction'), method: fc.constantFrom('FIRST' as const), items: few(takeOne) }),
      fc.record({
        do: does('transaction'),
        method: fc.constantFrom('ALL_OR_NONE' as const, 'AS_MANY_AS_POSSIBLE' as const),
        items: few(fc.oneof(takeOne, giveBack)),
      }),
    ),
  },
  {
    weight: 10,
    arbitrary: fc.record({ do: does('unreserve'), items: few(giveBack), isHandOver: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: does('renew'),
      items: few(fc.tuple(giveBack, ttlSeconds).map(([item, ttlSeconds]) => ({ ...item, ttlSeconds }))),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: does('begin session'),
      requester,
      ttlSeconds: fc.integer({ min: 2, max: 9 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('renew session' as const, 'end session' as const),
      isEnded: fc.constantFrom(false, false, false, false, false, true),
      nth,
      isTokenRight: fc.constantFrom(true, true, true, true, false),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: does('cancel'),
      items: few(fc.record({ resource: fc.oneof(resource, match.map(labelsOf)), requester }), 2),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: does('set condition'), items: few(fc.record({ resource, condition }), 2) }),
  },
  { weight: 6, arbitrary: fc.record({ do: does('beat'), instance: fc.constantFrom(...INSTANCES) }) },
  { weight: 2, arbitrary: fc.record({ do: does('leave'), nth }) },
  { weight: 8, arbitrary: fc.record({ do: does('pass'), ms: fc.integer({ min: 1, max: 3000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: does('reset') }) },
  { weight: 1, arbitrary: fc.record({ do: does('require registration'), on: fc.constantFrom(true, false, false) }) },
);

/*
 * A crowd: requesters that hold some things and wait for open sets of up to six, with much the same names, so that many
 * tickets keep something from each other, and holders wait for what others hold.
 */
const CROWD = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'];
const THINGS = [...NAMES, ...'defghi', 'p_0', 'p_1', 'q_1', 'r>a', 'r>a', 'r>p'];
const crowdRequester = fc.constantFrom(...CROWD);
const thing = fc.constantFrom(...THINGS);
const longWait = fc.record({
  waitSeconds: fc.constantFrom(6, 30, 60, 90),
  priority: fc.constantFrom(-1, 0, 0, 0, 0, 0, 1),
  claimSeconds: fc.constantFrom(5, 60),
});
const crowdTake = fc
  .record({
    resource: thing,
    requester: crowdRequester,
    ttlSeconds: fc.constantFrom(3, 20, 60),
    count,
    mode,
    unready,
    wait: fc.option(longWait, { freq: 2 }),
  })
  .map(({ count, mode, unready, ...rest }): Take => {
    const item = unready === null || mode === 'SHARED' ? rest : { ...rest, condition: unready };
    if (mode === 'SHARED') return { ...item, mode };
    return count === 1 ? item : { ...item, count };
  });
const crowdTakeAny = fc
  .tuple(crowdTake, match)
  .map(([{ mode, ...item }, match]): Take => ({ ...item, resource: labelsOf(match), match }));
const crowdTakeOne = fc.oneof({ weight: 7, arbitrary: crowdTake }, { weight: 1, arbitrary: crowdTakeAny });
const crowdGiveBack = fc.record({
  resource: thing,
  requester: crowdRequester,
  nth: fc.option(fc.nat(30), { freq: 9 }),
  left,
});

const crowdStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: register },
  { weight: 1, arbitrary: fc.record({ do: does('delete'), name: fc.constantFrom(...NAMES) }) },
  { weight: 14, arbitrary: fc.record({ do: does('reserve'), items: few(crowdTake, 5), call }) },
  {
    weight: 20,
    arbitrary: fc.record({
      do: does('wait as a whole'),
      method: fc.constantFrom('ALL_OR_NONE' as const, 'ALL_OR_NONE' as const, 'ALL_OR_NONE' as const, 'FIRST' as const),
      items: fc.array(crowdTakeOne, { minLength: 2, maxLength: 6 }).map(grantableByFreeing),
      requester: crowdRequester,
      wait: longWait,
      call,
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({ do: does('unreserve'), items: few(crowdGiveBack), isHandOver: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: does('again'), nth: fc.nat(30), ttlSeconds, wait: longWait, call }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: does('cancel'),
      items: few(fc.record({ resource: thing, requester: crowdRequester }), 2),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: does('set condition'), items: few(fc.record({ resource: thing, condition }), 2) }),
  },
  { weight: 4, arbitrary: fc.record({ do: does('leave'), nth: fc.nat(30) }) },
  { weight: 6, arbitrary: fc.record({ do: does('beat'), instance: fc.constantFrom(...INSTANCES) }) },
  { weight: 5, arbitrary: fc.record({ do: does('pass'), ms: fc.integer({ min: 1, max: 4000 }) }) },
);

/** The steps of a tenant, and those of another one that go between them. The cap on reservations is null if none. */
export interface History {
  cap: number | null;
  steps: Step[];
  other?: Step[] | undefined;
}

/** Steps that begin with a registration. */
const steps = (one: fc.Arbitrary<Step>, maxLength: number): fc.Arbitrary<Step[]> =>
  fc.tuple(register, fc.array(one, { maxLength, size: 'max' })).map(([first, rest]) => [first, ...rest]);

export const historiesOf = (one: fc.Arbitrary<Step>, cap: fc.Arbitrary<number | null>, maxLength: number) =>
  fc.record({ cap, steps: steps(one, maxLength), other: steps(one, maxLength) });

/** Histories of up to so many steps of each tenant. */
export const histories = (maxLength: number): fc.Arbitrary<History> =>
  historiesOf(step, fc.constantFrom(null, null, 8), maxLength);

/** The same of a crowd. */
export const crowdedHistories = (maxLength: number): fc.Arbitrary<History> =>
  historiesOf(crowdStep, fc.constant(null), maxLength);
