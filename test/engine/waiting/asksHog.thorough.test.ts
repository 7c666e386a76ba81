/**
 * No script keeps Redis busy for long, however many wait for what fits their labels, or hold a resource together
 * (docs/specification.md#any-resource-that-fits, #shared-holds). HOG=full takes the shared holds to 50,000 and prints
 * the figures.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { ReserveItem, ReserveResult } from '../../../src/contract/reservations.ts';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import * as engineReserve from '../../../src/engine/reservations/reserve.ts';
import { setClock } from '../../support/clock.ts';
import { until } from '../../support/until.ts';
import { check, reserve, reset, transaction, unreserve } from '../../support/verbs.ts';
import { MAX_MS } from '../hog/scriptTimes.ts';
import { IS_FULL, range, running, times, useHog } from '../hog/state.ts';

const READERS = IS_FULL ? 50_000 : 5000;
const ATTENDED = { instance: 'hog', pollMs: 30_000, isContinuation: false };
const START = Date.now();

useHog();
beforeAll(async () => {
  await setClock(running.engine.redis, running.credential.tenant, START);
});

const take = (...items: ReserveItem[]) => reserve(running.engine, running.credential, items);
const release = (held: readonly ReserveResult[]) => unreserve(running.engine, running.credential, held);
const expectShort = async (title: string, operation: () => Promise<unknown>, before?: () => Promise<unknown>) =>
  expect(await times.longest(title, operation, before)).toBeLessThan(MAX_MS);

/** Issues tickets, 25 a call. */
async function wait(items: readonly ReserveItem[]): Promise<void> {
  for (let i = 0; i < items.length; i += 25) {
    const waiting = items
      .slice(i, i + 25)
      .map((item) => ({ claimSeconds: 600, ...item, ttlSeconds: 60, waitSeconds: 86_400 }));
    await engineReserve.reserve(running.engine, running.credential, waiting, ATTENDED);
  }
}

describe('100 different matches, each with 20 tickets that only one resource fits', () => {
  const labels = range(16, (i) => [`key${i}`, 'v'] as const);
  const pairs = labels.flatMap((one, i) => labels.slice(i + 1).map((other) => Object.fromEntries([one, other])));
  const phone = { name: 'phone', capacity: 1, blocks: ['Ink'], treePath: null, labels: Object.fromEntries(labels) };
  const matches = pairs.slice(0, 100);
  let held: ReserveResult[] = [];
  const begin = async () => {
    const { engine, credential } = running;
    await reset(engine, credential);
    await register(engine, credential, [phone], NOW);
    held = await take({ resource: 'phone', requester: 'holder' });
    await wait(matches.flatMap((match, m) => range(20, (i) => ({ resource: 'text', requester: `${m}-${i}`, match }))));
  };
  beforeAll(begin, 120_000);

  test('a try on another name', () => expectShort('try beside matches', () => take({ resource: 'x', requester: 'x' })));

  test('a ticket more', () =>
    expectShort('a match more', () => wait([{ resource: 'text', requester: 'more', match: pairs[0] ?? {} }])));

  test('a registration that changes its labels', () =>
    expectShort('labels change', () => register(running.engine, running.credential, [phone], NOW)));

  test('a release of it', () => expectShort('release for a match', () => release(held), begin));

  test('a release of it while its blocker keeps all of them waiting', async () => {
    const handInkOn = async () => {
      const releaseToken = held[0]?.releaseToken ?? null;
      await transaction(running.engine, running.credential, 'ALL_OR_NONE', [
        { requestType: 'UNRESERVE', resource: 'phone', requester: 'holder', releaseToken },
        { requestType: 'RESERVE', resource: 'Ink', requester: 'printer' },
      ]);
    };
    await expectShort('release in vain', handInkOn, begin);
    expect(await take({ resource: 'Ink', requester: 'printer' })).toMatchObject([{ status: 'ALREADY_HAD' }]);
  });
});

describe(`${READERS} requesters that hold one resource together`, () => {
  const reader = (i: number): ReserveItem => ({
    resource: 'docs',
    requester: `reader${i}`,
    mode: 'SHARED',
    ttlSeconds: 3600,
  });
  beforeAll(async () => {
    for (let i = 0; i < READERS; i += 250) await take(...range(250, (j) => reader(i + j)));
  });

  let round = READERS;
  test('400 more, and their release', async () => {
    let got: ReserveResult[] = [];
    await expectShort('400 readers join', async () => {
      got = await take(...range(400, () => reader(round++)));
    });
    const joined = async () => {
      got = await take(...range(400, () => reader(round++)));
    };
    await expectShort('400 readers leave', () => release(got), joined);
  });

  test('500 writers that try', () =>
    expectShort('500 writers', () => take(...range(500, (i) => ({ resource: 'docs', requester: `writer${i}` })))));

  test('500 checks', () =>
    expectShort('500 checks', () =>
      check(
        running.engine,
        running.credential,
        range(500, (i) => ({ resource: 'docs', requester: `reader${i}` })),
      ),
    ));

  test('all leases end at the same time, then the grant of a writer, and the readers behind it get their turn', async () => {
    const { engine, credential } = running;
    let now = START;
    const pass = (seconds: number) => {
      now += seconds * 1000;
      return setClock(engine.redis, credential.tenant, now);
    };
    const begin = async () => {
      await reset(engine, credential);
      for (let i = 0; i < 2000; i += 250) await take(...range(250, (j) => ({ ...reader(i + j), ttlSeconds: 10 })));
      await wait([{ resource: 'docs', requester: 'writer', claimSeconds: 5 }]);
      await wait(range(500, (i) => reader(READERS + i)));
    };
    // Unlike a reserve of another name, a check is answered once the queue is settled.
    const next = () =>
      until('the queue', () => check(engine, credential, [{ resource: 'docs' }]).catch(() => null), 30_000);
    await expectShort('all leases end', () => pass(11).then(next), begin);
    expect(await take({ resource: 'docs', requester: 'z' })).toMatchObject([{ heldBy: { requester: 'writer' } }]);
    const endLeases = () => begin().then(() => pass(11).then(next));
    await expectShort('500 readers are granted together', () => pass(6).then(next), endLeases);
    const [docs] = await check(engine, credential, [{ resource: 'docs' }]);
    expect(docs).toMatchObject({ mode: 'SHARED', holders: 500 });
  });
});
