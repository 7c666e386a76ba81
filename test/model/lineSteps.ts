/**
 * Random steps of lines for a few plain names, one item each: most of these requests take the short ways (lua/plain).
 */
import fc from 'fast-check';
import { type History, historiesOf, type Step, type Take } from './waitingSteps.ts';

const PLAIN = ['d', 'd', 'd', 'e', 'f', 'g_1'];
const resource = fc.constantFrom(...PLAIN);
const requester = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWX');
const instance = fc.constantFrom(...Array<string>(7).fill('instance0'), 'instance1');
const call = fc.record({ instance, pollMs: fc.constantFrom(...Array<number>(14).fill(20_000), 4000, 0) });
const ttlSeconds = fc.constantFrom(60, 60, 60, 20, 20, 6, 4);
const wait = fc.record({
  waitSeconds: fc.constantFrom(6, 30, 60),
  priority: fc.constantFrom(-1, 0, 0, 0, 0, 1),
  claimSeconds: fc.constantFrom(5, 60),
});
const nth = fc.nat(9);
const does = <Name extends string>(name: Name) => fc.constant(name);

const take = fc.record({ resource, requester, ttlSeconds, wait: fc.option(wait, { freq: 9 }) });
const oneOf = (items: fc.Arbitrary<Take>) => fc.tuple(items);

const lineStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 40, arbitrary: fc.record({ do: does('reserve'), items: oneOf(take), call }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: does('reserve'), items: oneOf(take.map((one) => ({ ...one, mode: 'SHARED' }))), call }),
  },
  {
    weight: 30,
    arbitrary: fc.record({
      do: does('unreserve'),
      items: fc.tuple(fc.record({ resource, requester, nth: fc.option(nth, { freq: 9 }) })),
      isHandOver: fc.constantFrom(true, true, true, true, false),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: does('again'), nth, ttlSeconds, wait, call }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: does('cancel'), items: fc.tuple(fc.record({ resource, requester })) }),
  },
  { weight: 1, arbitrary: fc.record({ do: does('leave'), nth }) },
  { weight: 10, arbitrary: fc.record({ do: does('beat'), instance }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: does('wait as a whole'),
      method: fc.constantFrom('ALL_OR_NONE' as const, 'FIRST' as const),
      items: fc.array(take, { minLength: 2, maxLength: 3 }),
      requester,
      wait,
      call,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: does('pass'), ms: fc.constantFrom(1, 1, 7, 7, 50, 50, 400, 600, 3000, 9000) }),
  },
);

/** Histories of up to so many steps of each tenant. */
export const linedHistories = (maxLength: number): fc.Arbitrary<History> =>
  historiesOf(lineStep, fc.constantFrom(null, null, 8), maxLength);
