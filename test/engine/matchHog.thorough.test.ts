/**
 * No search for a resource that fits keeps Redis busy for long (docs/specification.md#any-resource-that-fits). HOG=full
 * makes 100,000 labelled resources and prints the figures.
 */
import { beforeAll, expect, test } from 'vitest';
import type { Registration } from '../../src/contract/definitions.ts';
import type { ReserveItem, ReserveResult } from '../../src/contract/reservations.ts';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import { setCondition } from '../../src/engine/reservations/conditions.ts';
import * as engineTransaction from '../../src/engine/reservations/transaction.ts';
import { reserve, reset, unreserve } from '../support/verbs.ts';
import { MAX_MS } from './hog/scriptTimes.ts';
import { IS_FULL, range, running, times, useHog } from './hog/state.ts';

const COUNT = IS_FULL ? 100_000 : 20_000;
const BATCH = 500;

const nameOf = (i: number) => `phone${100_000 + i}`;
const item = (name: string, more: Partial<Registration>): Registration => ({
  name,
  capacity: 1,
  blocks: [],
  treePath: null,
  ...more,
});
const wanting = (match: NonNullable<ReserveItem['match']>, requester: string): ReserveItem => ({
  resource: 'text',
  requester,
  match,
  ttlSeconds: 86_400,
});
const android = (requester: string) => wanting({ os: 'android' }, requester);
const take = (...items: ReserveItem[]) => reserve(running.engine, running.credential, items);

useHog();
beforeAll(async () => {
  const { engine, credential } = running;
  const phones = range(COUNT, (i) => item(nameOf(i), { labels: { os: 'android', size: i % 2 ? 'l' : 'xl' } }));
  const many = Object.fromEntries(range(16, (i) => [`key${i}`, 'v']));
  const others = [
    ...range(501, (i) => item(`deep${i}`, { labels: { os: 'deep' }, treePath: `lab>hall${i}>room${i}` })),
    ...range(500, (i) => item(`many${i}`, { labels: many })),
  ];
  await register(engine, credential, [item('lab', { capacity: 1 })], NOW);
  for (let i = 0; i < COUNT; i += BATCH) await register(engine, credential, phones.slice(i, i + BATCH), NOW);
  for (let i = 0; i < others.length; i += 50) await register(engine, credential, others.slice(i, i + 50), NOW);
}, 600_000);

const expectShort = async (title: string, operation: () => Promise<unknown>, before?: () => Promise<unknown>) =>
  expect(await times.longest(title, operation, before)).toBeLessThan(MAX_MS);

test('the first search among many that are held, all but one', async () => {
  const last = COUNT - 1;
  for (let i = 0; i < last; i += 250)
    await take(...range(Math.min(250, last - i), (j) => ({ resource: nameOf(i + j), requester: 'r' })));
  let got: ReserveResult[] = [];
  const forget = () => running.engine.redis.zremrangebylex(`{${running.credential.tenant}}:nameIndex`, '[h', '(i');
  await expectShort('match, the first search', () => take(wanting({ os: 'android', size: 'xl' }, 'x')), forget);
  got = await take(android('a'));
  expect(got).toMatchObject([{ resource: nameOf(last) }]);
  const free = () => unreserve(running.engine, running.credential, got);
  await expectShort(
    'match, one free',
    async () => {
      got = await take(android('a'));
    },
    free,
  );
  expect(got).toMatchObject([{ status: 'ACQUIRED', resource: nameOf(last) }]);
  await expectShort('match in vain', () => take(android('b')));
  await expectShort('100 matches in vain', () => take(...range(100, (i) => android(`c${i}`))));
});

test('the most matches at once', async () => {
  let round = 0;
  const next = async () => {
    round++;
  };
  await running.engine.redis.del(`{${running.credential.tenant}}:slots`);
  await expectShort('500 matches in vain', () => take(...range(500, (i) => wanting({ os: 'deep' }, `d${i}`))));
  await take({ resource: 'lab', requester: 'r' });
  let looked: ReserveResult[] = [];
  await expectShort('match that looks at 500', async () => {
    looked = await take(wanting({ os: 'deep' }, 'd'));
  });
  expect(looked).toMatchObject([{ explanation: expect.stringMatching(/looked at \d+/) }]);
  const values = range(16, (i) => (i === 0 ? 'v' : `v${i}`));
  const wide = Object.fromEntries(range(16, (i) => [`key${i}`, values]));
  let got: ReserveResult[] = [];
  await expectShort(
    'match of 16 labels with 16 values',
    async () => {
      got = await take(wanting(wide, 'w'));
    },
    () => unreserve(running.engine, running.credential, got),
  );
  expect(got).toMatchObject([{ status: 'ACQUIRED' }]);
  await expectShort(
    '500 matches that take one each',
    () => take(...range(500, () => wanting({ os: 'android' }, `m${round}`))),
    next,
  );
  await expectShort(
    '300 matches that take one each',
    () => take(...range(300, () => wanting({ os: 'android' }, `n${round}`))),
    next,
  );
  await expectShort('300 matches that were taken', () =>
    take(...range(300, () => wanting({ os: 'android' }, `n${round}`))),
  );
  await expectShort('50 matches of 16 labels', () => take(...range(50, (i) => wanting(wide, `v${i}`))));
});

/** Forgets what searches have noted. */
const forget = () => running.engine.redis.zremrangebylex(`{${running.credential.tenant}}:nameIndex`, '[h', '(k');

test('half of them out of service or dirty, and the others held', async () => {
  const { engine, credential } = running;
  await reset(engine, credential);
  for (let i = 0; i < COUNT / 2; i += BATCH) {
    const items = range(Math.min(BATCH, COUNT / 2 - i), (j) => ({ resource: nameOf(i + j) }));
    await setCondition(
      engine,
      credential,
      items.map((one, j) => ({ ...one, condition: j % 2 ? 'out' : 'dirty' })),
    );
  }
  for (let i = COUNT / 2; i < COUNT - 1; i += 250)
    await take(...range(Math.min(250, COUNT - 1 - i), (j) => ({ resource: nameOf(i + j), requester: 'r' })));
  const xl = (requester: string) => wanting({ os: 'android', size: 'xl' }, requester);
  await expectShort('match in vain, the first search, half of them not ready', () => take(xl('a')), forget);
  expect(await take(android('a'))).toMatchObject([{ resource: nameOf(COUNT - 1) }]);
  await expectShort('match in vain, half of them not ready', () => take(android('b')));
  const cleaning = (requester: string): ReserveItem => ({ ...android(requester), condition: 'dirty' });
  await expectShort('500 matches that take a dirty one each', () =>
    take(...range(500, (i) => cleaning(`cleaner${i % 50}`))),
  );
  const repairing: ReserveItem = { ...xl('x'), condition: 'out' };
  await expectShort('match for what is out, among many others', () => take(repairing), forget);
  await expectShort('match for what is out, in vain', () => take(repairing));
});

test('transactions of 20 matches that wait', async () => {
  const { engine, credential } = running;
  const call = { instance: 'hog', pollMs: 0, isContinuation: false };
  const many: ReserveItem['match'][] = [{ os: 'deep' }, { os: 'android' }, { size: 'xl' }, { size: 'l' }];
  const wait = (requester: string) => {
    const items = range(20, (i) => ({
      requestType: 'RESERVE' as const,
      resource: 'text',
      requester,
      match: many[i % 4] ?? {},
      ttlSeconds: 60,
    }));
    return engineTransaction.transaction(engine, credential, 'ALL_OR_NONE', items, {
      wait: { waitSeconds: 600 },
      call,
    });
  };
  let round = 100;
  await reset(engine, credential);
  await take({ resource: 'lab', requester: 'r' });
  for (let i = 0; i < 30; i++) await wait(`t${i}`);
  await expectShort('a transaction of 20 matches that waits', () => wait('t0'));
  await expectShort('a ticket of 20 matches that looks at 500', () => wait(`t${++round}`));
});
