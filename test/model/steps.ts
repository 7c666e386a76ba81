/**
 * Random steps of histories without a queue. A step is plain JSON, so that a failing history can be kept and run again.
 */
import fc from 'fast-check';
import type { Attributes } from '../../src/domain/attributes.ts';
import type { AskedCondition, Condition } from '../../src/domain/conditions.ts';
import { type Mode, TRANSACTION_METHODS, type TransactionMethod } from '../../src/domain/reservations.ts';
import { labelsOf } from './matching.ts';
import type { Registration } from './state.ts';

/** Which token is given: the reservation's own, another one's of the tenant, any, or none. */
type TokenChoice = 'right' | 'stolen' | 'made up' | 'none';

type Take = {
  resource: string;
  requester: string;
  ttlSeconds?: number;
  count?: number;
  mode?: Mode;
  condition?: AskedCondition;
  match?: Record<string, string | string[]>;
};
export type GiveBack = {
  resource: string;
  requester: string;
  token: TokenChoice;
  /** Which of the reservations there are, by what name; null: the resource and requester above, whatever they have. */
  of: { nth: number; by: 'name' | 'slot' | 'last slot' } | null;
  /** What it says of the condition of its slots, and of which; null: nothing. */
  report: { condition: Condition; of: 'all' | 'last' } | null;
};

export type Step =
  | { do: 'register'; items: Registration[] }
  | { do: 'delete'; name: string; cascade: boolean }
  | { do: 'require registration'; on: boolean }
  | { do: 'reserve'; items: Take[] }
  | { do: 'set condition'; name: string; condition: Condition }
  | { do: 'unreserve'; items: GiveBack[] }
  | { do: 'renew'; items: (GiveBack & { ttlSeconds: number })[] }
  | { do: 'transaction'; method: TransactionMethod; items: (Take | GiveBack)[] }
  | { do: 'wait'; ms: number }
  | { do: 'sweep' }
  | { do: 'reset' }
  | { do: 'look'; name: string; requester: string };

export type History = Step[];

/** Few names, so that they meet: pools and their slots, trees and their paths, blockers, and resources of no kind. */
const NAMES = ['p', 'q', 'a', 'b', 'c', 'r', 'p_1', 'q_0'];
const PATHS = ['r>a', 'r>b>a', 'b>a', 'r>p', 'r>b>q', 'r>c'];
const SLOTS = ['p_0', 'p_1', 'p_2', 'p_3', 'q_0', 'q_1', 'p_7', 'r>p_1'];
const REQUESTERS = ['A', 'B', 'C'];

const oftenFirst = (...lists: string[][]) =>
  fc.oneof(...lists.map((list, i) => ({ weight: 4 * (lists.length - i) - 3, arbitrary: fc.constantFrom(...list) })));
const name = oftenFirst(['p', 'q', 'a', 'b', 'c', 'r'], NAMES);
const resource = oftenFirst(['p', 'q', 'a', 'b', 'c', 'r'], SLOTS, PATHS);
const requester = fc.constantFrom(...REQUESTERS);
const ttlSeconds = fc.integer({ min: 1, max: 5 });
const token = fc.constantFrom<TokenChoice>('right', 'right', 'right', 'right', 'stolen', 'made up', 'none');
const count = fc.constantFrom(null, null, null, null, 1, 2, 2, 3, 4);
const mode = fc.constantFrom<Mode | null>(null, null, null, 'EXCLUSIVE', 'SHARED', 'SHARED');
const asked = fc.constantFrom<AskedCondition | null>(null, null, null, null, null, null, 'dirty', 'dirty', 'out');
const lease = fc.option(ttlSeconds, { nil: null });
const take = fc.record({ resource, requester, ttlSeconds: lease, count, mode, asked }).map(
  ({ ttlSeconds, count, mode, asked, ...item }): Take => ({
    ...item,
    ...(ttlSeconds === null ? {} : { ttlSeconds }),
    ...(count === null || mode === 'SHARED' ? {} : { count }),
    ...(mode === null ? {} : { mode }),
    ...(asked === null || mode === 'SHARED' ? {} : { condition: asked }),
  }),
);
const match = fc.constantFrom<Record<string, string | string[]>>(
  { os: 'a' },
  { os: 'b' },
  { os: ['a', 'b'] },
  { x: '', os: ['b', 'a'] },
  { x: '1' },
);
const takeAny = fc
  .tuple(take, match)
  .map(([{ mode, ...item }, match]): Take => ({ ...item, resource: labelsOf(match), match }));
const takeOne = fc.oneof({ weight: 5, arbitrary: take }, { weight: 1, arbitrary: takeAny });
const giveBack = fc.record({
  resource,
  requester,
  token,
  report: fc.option(
    fc.record({
      condition: fc.constantFrom<Condition>('ready', 'dirty', 'out'),
      of: fc.constantFrom('all' as const, 'last' as const),
    }),
    { freq: 2 },
  ),
  of: fc.option(
    fc.record({ nth: fc.nat(9), by: fc.constantFrom('name' as const, 'slot' as const, 'last slot' as const) }),
    { freq: 3 },
  ),
});
const few = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 1, maxLength: 3 });

/** Some keys differ by case only. */
const attributes = fc.constantFrom<Attributes>({}, { hub: '10' }, { hub: '11', Rack: 'r' });
const slotAttributes = fc.array(fc.constantFrom<Attributes>({}, { serial: 'A' }, { HUB: '12', serial: 'B' }), {
  maxLength: 4,
});

const registration: fc.Arbitrary<Registration> = fc
  .record({
    name,
    capacity: fc.constantFrom(1, 1, 2, 3, 4),
    blocks: fc.oneof(
      fc.constant<string[]>([]),
      fc.uniqueArray(name, { maxLength: 2 }),
      fc.uniqueArray(resource, { maxLength: 2 }),
    ),
    treePath: fc.oneof(
      fc.constantFrom<string[]>([], [], ['r'], ['r'], ['r', 'b']),
      fc.uniqueArray(name, { maxLength: 2 }),
    ),
    group: fc.constantFrom(undefined, undefined, undefined, true, false),
    labels: fc.constantFrom(undefined, undefined, {}, { os: 'a' }, { os: 'b', x: '' }),
    groups: fc.constantFrom(undefined, true),
    afterUse: fc.constantFrom(undefined, undefined, undefined, 'dirty' as const, 'ready' as const),
    attributes: fc.option(attributes, { nil: undefined, freq: 2 }),
    slotAttributes: fc.option(slotAttributes, { nil: undefined, freq: 2 }),
  })
  .map(({ name, blocks, treePath, afterUse, slotAttributes, ...rest }) => ({
    name,
    ...rest,
    afterUse: rest.group === true ? undefined : afterUse,
    slotAttributes: rest.group === true ? undefined : slotAttributes?.slice(0, rest.capacity),
    blocks: rest.group === true ? [] : blocks.filter((one: string) => one !== name),
    treePath: treePath.filter((one: string) => one !== name),
  }));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('register' as const), items: few(registration) }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant('reserve' as const), items: few(takeOne) }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant('unreserve' as const), items: few(giveBack) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('set condition' as const),
      name: resource,
      condition: fc.constantFrom<Condition>('ready', 'ready', 'ready', 'dirty', 'out'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('renew' as const),
      items: few(fc.tuple(giveBack, ttlSeconds).map(([item, ttlSeconds]) => ({ ...item, ttlSeconds }))),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.oneof(
      fc.record({
        do: fc.constant('transaction' as const),
        method: fc.constantFrom(...TRANSACTION_METHODS),
        items: few(takeOne),
      }),
      fc.record({
        do: fc.constant('transaction' as const),
        method: fc.constantFrom('ALL_OR_NONE' as const, 'AS_MANY_AS_POSSIBLE' as const),
        items: few(fc.oneof(takeOne, giveBack)),
      }),
    ),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 3000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('look' as const), name: resource, requester }) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant('delete' as const),
          name,
          cascade: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('reset' as const) }) },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant('require registration' as const),
          on: fc.constantFrom(true, false, false, false),
        }),
      },
    ),
  },
);

/** Histories of up to so many steps. */
export const histories = (maxLength: number): fc.Arbitrary<History> => fc.array(step, { maxLength, size: 'max' });
