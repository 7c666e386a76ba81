/**
 * Reading a long history without a database (docs/specification.md#history): how much a read looks at, and that no
 * tenant's reads keep Redis or an instance busy for long.
 */
import { describe, expect, test } from 'vitest';
import { keptHistory } from '../../src/engine/history/kept.ts';
import { NEWEST, readPiece } from '../../src/engine/history/pieces.ts';
import { interceptScript } from '../support/engine.ts';
import { addIn, LONGEST, longName } from '../support/pastEntries.ts';
import { makeTenant } from '../support/service.ts';
import { MAX_MS } from './hog/scriptTimes.ts';
import { range, running, times, useHog } from './hog/state.ts';

useHog();

/** Watches the script that reads pieces: bytes of each reply, and how many ran at the same time. */
function watchPieces() {
  const watched = { bytes: [] as number[], most: 0, tenants: [] as string[] };
  let inFlight = 0;
  const { redis } = interceptScript(running, 'readHistory', async (send, key) => {
    watched.tenants.push(key);
    watched.most = Math.max(watched.most, ++inFlight);
    const reply = await send();
    inFlight--;
    const sizes = Array.isArray(reply) ? reply.map((part) => (part instanceof Buffer ? part.length : 8)) : [];
    watched.bytes.push(sizes.reduce((sum, size) => sum + size, 0));
    return reply;
  });
  return { watched, redis, history: keptHistory(redis) };
}

const historyOf = () => keptHistory(running.engine.redis);

/** Most bytes that one read looks at: 1,000 times 512, and the rest of the last five entries of the stream. */
const MOST_BYTES = 512_000 + 5 * 10 * LONGEST;

describe('a read looks at 1,000 entries or 500 KiB', () => {
  test('and gets no more than the page has', async () => {
    const tenant = makeTenant();
    await addIn(running.engine.redis, tenant, 2000, { isLong: true });
    const { watched, history } = watchPieces();
    const one = await history.page(tenant, {}, undefined, 1);
    const many = await history.page(tenant, {}, undefined, 500);
    expect(one.entries.length).toBe(1);
    expect(many.entries.length).toBeLessThan(500);
    expect(many.next).not.toBeNull();
    expect(watched.bytes.length).toBe(2);
    expect(watched.bytes[0]).toBeLessThan(3 * LONGEST);
    expect(watched.bytes[1]).toBeLessThan(MOST_BYTES);
    expect(watched.bytes[1]).toBeGreaterThan(400_000);
  });

  test('and gets nothing that a filter does not let through', async () => {
    const tenant = makeTenant();
    await addIn(running.engine.redis, tenant, 2000, { isLong: true });
    const { watched, history } = watchPieces();
    for (const filter of [
      { requester: 'nobody' },
      { resource: 'none' },
      { resource: longName(7).slice(0, -1) },
      { to: new Date(1000) },
    ])
      expect((await history.page(tenant, filter, undefined, 500)).entries).toEqual([]);
    for (const bytes of watched.bytes) expect(bytes).toBeLessThan(200);
  });

  test('and says what it looked at: a long entry counts as one for each 512 bytes', async () => {
    const { redis } = running.engine;
    const [short, long] = [makeTenant(), makeTenant()];
    await Promise.all([addIn(redis, short, 1500), addIn(redis, long, 1500, { isLong: true })]);
    expect(await readPiece(redis, short, {}, NEWEST)).toMatchObject({ entries: 1000, looked: 1000 });
    const piece = await readPiece(redis, long, {}, NEWEST);
    expect(piece.entries).toBeLessThan(200);
    expect(piece.looked).toBeGreaterThanOrEqual(1000);
    expect(piece.looked).toBeLessThan(1000 + LONGEST / 512);
  });

  test('of each entry once, wherever pages end', async () => {
    const tenant = makeTenant();
    await addIn(running.engine.redis, tenant, 400, { isLong: true });
    const numbers: number[] = [];
    let cursor: string | undefined;
    do {
      const { entries, next } = await historyOf().page(tenant, {}, cursor, 7);
      numbers.push(...entries.map(({ number }) => number));
      cursor = next ?? undefined;
    } while (cursor !== undefined);
    expect(numbers).toEqual(range(400, (i) => 400 - i));
  });
});

describe('an instance reads one piece of a tenant at a time', () => {
  test('and those of other tenants in between', async () => {
    const [big, small] = [makeTenant(), makeTenant()];
    const { watched, redis, history } = watchPieces();
    await Promise.all([addIn(redis, big, 1000, { isLong: true }), addIn(redis, small, 10)]);
    const ended: string[] = [];
    const note = (name: string) => () => ended.push(name);
    const pieces = range(8, () => readPiece(redis, big, { requester: 'nobody' }, NEWEST).then(note('big')));
    await Promise.all([...pieces, history.page(small, {}, undefined, 10).then(note('small'))]);
    expect(watched.tenants.length).toBe(9);
    expect(watched.most).toBeLessThanOrEqual(2);
    expect(ended.slice(0, 4)).toContain('small');
  });

  test('also after one has failed', async () => {
    const { redis } = running.engine;
    const tenant = makeTenant();
    await redis.set(`{${tenant}}:history`, 'not a stream');
    const both = [1, 2].map(() => readPiece(redis, tenant, {}, NEWEST));
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await redis.del(`{${tenant}}:history`);
    expect(await readPiece(redis, tenant, {}, NEWEST)).toEqual({ found: [], next: null, entries: 0, looked: 0 });
  });
});

test('no piece of a history keeps Redis busy for long', async () => {
  const { redis } = running.engine;
  const [short, long] = [makeTenant(), makeTenant()];
  await Promise.all([addIn(redis, short, 3000), addIn(redis, long, 1000, { isLong: true })]);
  const [, same = ''] = [longName(1), '🎉'.repeat(128)];
  for (const [title, tenant, filter] of [
    ['all short entries', short, {}],
    ['all long entries', long, {}],
    ['short entries of nobody', short, { requester: 'nobody', resource: 'none' }],
    ['long entries of a name that is in their notes', long, { requester: same, resource: same }],
  ] as const)
    expect(await times.longest(title, () => readPiece(redis, tenant, filter, NEWEST))).toBeLessThan(MAX_MS);
});
