/**
 * No script keeps Redis busy for long in a tenant with 100,000 tickets: the worst requests, on the worst queues
 * (docs/specification.md#waiting). HOG=full takes it to 100,000 tickets and prints figures; else there are 20,000.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { ReserveItem } from '../../../src/contract/reservations.ts';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import * as engineReserve from '../../../src/engine/reservations/reserve.ts';
import { resourceStates } from '../../../src/engine/reservations/states.ts';
import * as engineTransaction from '../../../src/engine/reservations/transaction.ts';
import { cancel } from '../../../src/engine/waiting/cancel.ts';
import { standings } from '../../../src/engine/waiting/list.ts';
import { keysOf } from '../../../src/redis/keys.ts';
import { runScript } from '../../../src/redis/scripts.ts';
import { check, reserve, reset, unreserve } from '../../support/verbs.ts';
import { MAX_MS } from '../hog/scriptTimes.ts';
import { IS_FULL, range, running, times, useHog } from '../hog/state.ts';

const SHARE = IS_FULL ? 10_000 : 2000;

const definition = { capacity: 1, blocks: [], treePath: null };
const ATTENDED = { instance: 'hog', pollMs: 30_000, isContinuation: false };
const wait = { waitSeconds: 86_400 };

/** Issues tickets, 100 a call. */
async function issue(count: number, make: (i: number) => Pick<ReserveItem, 'resource' | 'requester'>): Promise<void> {
  for (let i = 0; i < count; i += 100)
    await engineReserve.reserve(
      running.engine,
      running.credential,
      range(Math.min(100, count - i), (j) => ({ ...make(i + j), ttlSeconds: 60, ...wait, claimSeconds: 600 })),
      ATTENDED,
    );
}
const hold = (...names: string[]) =>
  reserve(
    running.engine,
    running.credential,
    names.map((resource) => ({ resource, requester: 'holder' })),
  );

useHog();
beforeAll(async () => {
  const { engine, credential } = running;
  await register(
    engine,
    credential,
    [
      { ...definition, name: 'root', capacity: 100_000 },
      { ...definition, name: 'full', capacity: 64 },
      ...range(150, (i) => ({ ...definition, name: `leaf${i}`, treePath: 'root' })),
      ...range(150, (i) => ({ ...definition, name: `seat${i}`, treePath: 'full' })),
      { ...definition, name: 'pool', capacity: 1000 },
    ],
    NOW,
  );
  await hold('one', ...range(150, (i) => `leaf${i}`), ...range(20, (i) => `part${i}`));
  await reserve(
    engine,
    credential,
    range(500, (i) => ({ resource: 'pool', requester: `p${i}` })),
  );
  await reserve(
    engine,
    credential,
    range(500, (i) => ({ resource: 'pool', requester: `q${i}` })),
  );
  await reserve(
    engine,
    credential,
    range(64, (i) => ({ resource: `seat${i}`, requester: `s${i}` })),
  );
  await issue(SHARE, (i) => ({ resource: 'one', requester: `w${i}` }));
  await issue(SHARE, (i) => ({ resource: `leaf${i % 150}`, requester: `l${i}` }));
  await issue(SHARE, (i) => ({ resource: `seat${i % 150}`, requester: `s${1000 + i}` }));
  await issue(SHARE, (i) => ({ resource: 'pool', requester: `n${i}` }));
  await issue(SHARE, (i) => ({ resource: 'one', requester: i % 2 ? 'same' : `same${i}` }));
  await issue(60, (i) => ({ resource: i === 0 ? 'one' : `seat${i}`, requester: 'greedy' }));
  for (let i = 0; i < SHARE / 20; i++)
    await engineTransaction.transaction(
      engine,
      credential,
      'ALL_OR_NONE',
      range(20, (j) => ({ requestType: 'RESERVE', resource: `part${j}`, requester: `t${i}`, ttlSeconds: 60 })),
      { wait, call: ATTENDED },
    );
}, 600_000);

let round = 0;
const WORST: readonly (readonly [string, () => Promise<unknown>])[] = [
  [
    'states of resources with long lines',
    () =>
      resourceStates(
        running.engine,
        running.credential,
        ['one', 'pool', 'full', ...range(150, (i) => `seat${i}`), ...range(20, (i) => `part${i}`)],
        { slots: 16, requesters: ['same', 'w1'] },
      ),
  ],
  [
    'where the requests of a requester with many of them stand',
    () => standings(running.engine, running.credential, 'greedy'),
  ],
  [
    'a try on another name',
    () => reserve(running.engine, running.credential, [{ resource: `x${round++}`, requester: 'x' }]),
  ],
  [
    'a try on a name with a long queue',
    () => reserve(running.engine, running.credential, [{ resource: 'one', requester: 'x' }]),
  ],
  [
    'tries below a full root',
    () =>
      reserve(
        running.engine,
        running.credential,
        range(500, (i) => ({ resource: `seat${i % 150}`, requester: `y${i}` })),
      ),
  ],
  [
    'tries below a root with a long line',
    () =>
      reserve(
        running.engine,
        running.credential,
        range(500, (i) => ({ resource: `leaf${i % 150}`, requester: `y${i}` })),
      ),
  ],
  ['a ticket more in a long queue', () => issue(1, () => ({ resource: 'one', requester: `m${round++}` }))],
  ['100 tickets more', () => issue(100, (i) => ({ resource: 'one', requester: `m${round++}-${i}` }))],
  ['a ticket goes on', () => issue(1, () => ({ resource: 'one', requester: 'w5' }))],
  [
    'check of 500',
    () =>
      check(
        running.engine,
        running.credential,
        range(500, (i) => ({ resource: `leaf${i % 150}` })),
      ),
  ],
  ['a sweep', () => runScript(running.engine.redis, 'sweep', ...keysOf('sweep', running.credential.tenant), '')],
  ['a cancel', () => cancel(running.engine, running.credential, [{ resource: 'one', requester: `w${round++}` }])],
];

describe('no request keeps Redis busy for long, however many wait', () => {
  test.each(WORST)('%s', async (title, operation) => {
    expect(await times.longest(title, operation)).toBeLessThan(MAX_MS);
  });

  test('release of what the longest queues wait for', async () => {
    const { engine, credential } = running;
    const held = async (resource: string, requester: string) =>
      (await reserve(engine, credential, [{ resource, requester }])).map((one) => ({ ...one }));
    const one = await held('one', 'holder');
    expect(
      await times.longest('release of a name with a long queue', () => unreserve(engine, credential, one)),
    ).toBeLessThan(MAX_MS);
    const leaves = (await Promise.all(range(150, (i) => held(`leaf${i}`, 'holder')))).flat();
    expect(await times.longest('release of 150 leaves', () => unreserve(engine, credential, leaves))).toBeLessThan(
      MAX_MS,
    );
    const seats = (await Promise.all(range(64, (i) => held(`seat${i}`, `s${i}`)))).flat();
    expect(await times.longest('release of 64 seats', () => unreserve(engine, credential, seats))).toBeLessThan(MAX_MS);
    const slots = (await Promise.all(range(500, (i) => held('pool', `p${i}`)))).flat();
    expect(await times.longest('release of 500 slots', () => unreserve(engine, credential, slots))).toBeLessThan(
      MAX_MS,
    );
    const parts = (await Promise.all(range(20, (i) => held(`part${i}`, 'holder')))).flat();
    expect(await times.longest('release of 20 parts', () => unreserve(engine, credential, parts))).toBeLessThan(MAX_MS);
  });

  test('a change of definitions, after which all tickets are planned again', async () => {
    const { engine, credential } = running;
    expect(
      await times.longest('registration', () =>
        register(engine, credential, [{ ...definition, name: 'another' }], NOW),
      ),
    ).toBeLessThan(MAX_MS);
    expect(
      await times.longest('the pieces after it', () =>
        reserve(engine, credential, [{ resource: `x${round++}`, requester: 'x' }]),
      ),
    ).toBeLessThan(MAX_MS);
  });

  test('reset', async () => {
    expect(await times.longest('reset', () => reset(running.engine, running.credential))).toBeLessThan(MAX_MS);
  });
});
