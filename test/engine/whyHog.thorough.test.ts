/**
 * To find out who is in the way keeps Redis busy for no longer than any other request
 * (docs/specification.md#who-is-in-the-way). HOG=full prints the figures.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Registration } from '../../src/contract/definitions.ts';
import type { ReserveItem } from '../../src/contract/reservations.ts';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import { reserve as reserveWith } from '../../src/engine/reservations/reserve.ts';
import { standingOf } from '../../src/engine/waiting/call.ts';
import { waitingPage } from '../../src/engine/waiting/list.ts';
import { check, reserve } from '../support/verbs.ts';
import { CALL } from '../support/waitingEngine.ts';
import { MAX_MS } from './hog/scriptTimes.ts';
import { range, running, times, useHog } from './hog/state.ts';

const BATCH = 500;
const DETACHED = { ...CALL, pollMs: 0 };

const item = (name: string, more: Partial<Registration> = {}): Registration => ({
  name,
  capacity: 1,
  blocks: [],
  treePath: null,
  ...more,
});
const take = (...items: ReserveItem[]) => reserve(running.engine, running.credential, items);
const registerAll = async (items: readonly Registration[]) => {
  for (let i = 0; i < items.length; i += 100)
    await register(running.engine, running.credential, items.slice(i, i + 100), NOW);
};

/** 14 nested groups, each with 90 leaves that come before the next group. */
const LEVELS = 14;
const pathOf = (level: number) => ['top', ...range(level, (i) => `z${i}`)].join('>');
const deepTree = [
  item('top', { capacity: 5 }),
  ...range(LEVELS, (i) => item(`z${i}`, { group: true, treePath: pathOf(i) })),
  ...range(LEVELS, (level) => range(90, (i) => item(`a${level}-${i}`, { treePath: pathOf(level + 1) }))).flat(),
  item('victim', { treePath: 'top' }),
];

useHog({ readsPerMinute: 1e8 });
beforeAll(async () => {
  await registerAll(deepTree);
  await take(...range(5, (i) => ({ resource: `a${LEVELS - 1}-${80 + i}`, requester: `deep${i}`, ttlSeconds: 86_400 })));
  await registerAll([
    item('huge', { capacity: 100_000 }),
    item('shrunk', { capacity: 100_000 }),
    item('users', { capacity: 100, blocks: range(64, (i) => `b${i}`) }),
    item('needs', { blocks: range(64, (i) => `b${i}`) }),
  ]);
  for (let i = 0; i < 100_000; i += BATCH)
    await take({ resource: 'huge', requester: `h${i}`, ttlSeconds: 86_400, count: BATCH });
  // It is full by a slot that only a search through its whole bitmap finds.
  await take({ resource: 'shrunk_99999', requester: 's', ttlSeconds: 86_400 });
  await registerAll([item('shrunk')]);
  for (let i = 0; i < 100; i++) await take({ resource: 'users', requester: `u${i}`, ttlSeconds: 86_400 });
  await take(...range(BATCH, (i) => ({ resource: `plain${i}`, requester: 'r', ttlSeconds: 86_400 })));
}, 600_000);

const CASES = [
  ['plain names', (i: number) => `plain${i}`],
  ['leaves of a deep tree at capacity', () => 'victim'],
  ['a pool of 100,000 slots', () => 'huge'],
  ['a pool that was shrunk', () => 'shrunk'],
  ['a resource with 64 blockers, which 100 hold', () => 'needs'],
] as const;

const expectShort = async (title: string, operation: () => Promise<unknown>) =>
  expect(await times.longest(title, operation)).toBeLessThan(MAX_MS);

describe.each(CASES)('%s', (title, nameOf) => {
  test('are found out by a check', async () => {
    const items = range(BATCH, (i) => ({ resource: nameOf(i) }));
    const [first] = await check(running.engine, running.credential, items.slice(0, 1));
    expect(first?.reason).toMatchObject({ resource: expect.any(String) });
    await expectShort(`check of one: ${title}`, () => check(running.engine, running.credential, items.slice(0, 1)));
    await expectShort(`check of 500: ${title}`, () => check(running.engine, running.credential, items));
  });

  test('are found out by requests that wait, and by the list of waits', async () => {
    const waits = range(title.includes('blockers') ? 10 : 60, (i) => ({
      resource: nameOf(i),
      requester: `w${i}`,
      ttlSeconds: 60,
      waitSeconds: 3600,
    }));
    const wait = () => reserveWith(running.engine, running.credential, waits, DETACHED);
    const { result, tickets } = await wait();
    expect(result[0]?.waiting?.reason).toMatchObject({ resource: expect.any(String) });
    await expectShort(`60 that wait: ${title}`, wait);
    await expectShort(`their tickets: ${title}`, () => standingOf(running.engine, running.credential, tickets));
    await expectShort(`waiting: ${title}`, () => waitingPage(running.engine, running.credential));
  });
});
