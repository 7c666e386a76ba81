/** Waits: a ticket is continued until its turn comes, and cancelled when the caller gives up. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Pair, startPair } from '../../support/clients.ts';
import { until } from '../../support/until.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
  await pair.a.register([{ name: 'phone1', labels: { os: 'android' } }]);
});
afterAll(() => pair.stop());

const waiting = (resource: string, count: number) =>
  until(`${count} wait for ${resource}`, async () => (await pair.a.check(resource)).waiting === count);

describe('a wait', () => {
  test('ends when its turn has come', async () => {
    const held = await pair.a.reserve('printer');
    const next = pair.b.reserve('printer', { wait: '20s' });
    await waiting('printer', 1);
    await held.release();
    await using hold = await next;
    expect(hold.waitedMs).toBeGreaterThan(0);
    expect(hold.fencingToken).toBeGreaterThan(held.fencingToken);
  });

  test('continues its ticket call by call', async () => {
    const held = await pair.a.reserve('short');
    // A third of so short a lease: its long polls last 1 s each.
    const next = pair.b.reserve('short', { wait: '20s', ttl: '1s' });
    await waiting('short', 1);
    const { since } = (await pair.a.waiting({ resource: 'short' }))[0] ?? {};
    await until('the second call', () => Date.now() - Date.parse(since ?? '') > 1500);
    expect((await pair.a.waiting({ resource: 'short' }))[0]?.since).toBe(since);
    await held.release();
    await next;
  });

  test('hands out a hold with most of its lease: one that is half over is renewed first', async () => {
    const send = globalThis.fetch;
    let renewedAt = Number.NaN;
    const slow = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...args) => {
      const path = String(args[0]);
      if (path.includes('/renew')) renewedAt = performance.now();
      const response = await send(...args);
      // The holder counts the lease from the moment when its request was sent.
      if (path.includes('/reserve')) await pause(1100);
      return response;
    });
    try {
      const hold = await pair.b.reserve('slow', { wait: '20s', ttl: '2s' });
      await new Promise((resolve) => hold.signal.addEventListener('abort', resolve));
      // It counts as over 200 ms before its end. The holder counts from a moment before the request was sent.
      expect(performance.now() - renewedAt).toBeGreaterThan(1500);
    } finally {
      slow.mockRestore();
    }
  });

  test('tells its position', async () => {
    const held = await pair.a.reserve('position');
    const seen: number[] = [];
    const first = pair.b.reserve('position', { wait: '20s' });
    await waiting('position', 1);
    const second = pair.a.reserve('position', {
      wait: '20s',
      onWaiting: ({ ahead, waitsFor }) => {
        expect(waitsFor).toBe('position');
        seen.push(ahead);
      },
    });
    // A busy machine delays this timer as it delays those of the client. The next response comes after 5 s.
    const due = pause(1000).then(() => performance.now());
    await until('a position', () => seen.length > 0);
    expect(performance.now() - (await due)).toBeLessThan(3500);
    expect(seen[0]).toBe(1);
    await held.release();
    await (await first).release();
    await (await second).release();
  });

  test('that is over is refused, and leaves no ticket', async () => {
    await using _ = await pair.a.reserve('busy');
    const started = performance.now();
    await expect(pair.b.reserve('busy', { wait: '1s' })).rejects.toMatchObject({
      code: expect.stringMatching(/^(ALREADY_HELD|NOT_AVAILABLE)$/),
    });
    expect(performance.now() - started).toBeGreaterThan(950);
    expect(await pair.b.tryReserve('busy', { wait: '500ms' })).toBeNull();
    expect(await pair.a.waiting({ resource: 'busy' })).toEqual([]);
  });

  test('that is over says so, and who holds what it wanted', async () => {
    await using held = await pair.a.reserve('owned', { note: 'why' });
    const heldBy = {
      resource: 'owned',
      requester: held.requester,
      note: 'why',
      expiresAt: held.expiresAt?.toISOString(),
    };
    const over = { message: `owned: its turn did not come within 1 s: ${held.requester} has owned (why)`, heldBy };
    const code = expect.stringMatching(/^(ALREADY_HELD|NOT_AVAILABLE)$/);
    await expect(pair.b.reserve('owned', { wait: '1s' })).rejects.toMatchObject({ code, ...over });
    const both = pair.b.reserve(['free', 'owned'], { wait: '1s' });
    await expect(both).rejects.toMatchObject({ code, heldBy, message: expect.stringContaining('within 1 s') });
  });

  test('of several names is one: none of them is taken before all can be', async () => {
    const held = await pair.a.reserve('second');
    const both = pair.b.reserve(['first', 'second'], { wait: '20s' });
    await waiting('second', 1);
    expect((await pair.a.check('first')).reserved).toBe(false);
    await held.release();
    await using hold = await both;
    expect(hold.resources).toEqual(['first', 'second']);
    expect(hold.waitedMs).toBeGreaterThan(0);
  });

  test('with a higher priority comes first', async () => {
    const held = await pair.a.reserve('queue');
    const order: string[] = [];
    const take = async (name: string, priority: number) => {
      const hold = await pair.b.reserve('queue', { wait: '20s', priority });
      order.push(name);
      await hold.release();
    };
    const low = take('low', 0);
    await waiting('queue', 1);
    const high = take('high', 5);
    await waiting('queue', 2);
    await held.release();
    await Promise.all([low, high]);
    expect(order).toEqual(['high', 'low']);
  });
});

describe('a caller that gives up', () => {
  test.each([
    ['printer2', 'printer2'],
    [['other', 'printer2'], 'printer2'],
    [{ match: { os: ['android'] } }, 'phone1'],
  ])('cancels its ticket for %j', async (target, resource) => {
    await using _ = await pair.a.reserve(resource);
    const giveUp = new AbortController();
    const reason = new Error('enough');
    const wait = pair.b.reserve(target, { wait: '60s', signal: giveUp.signal });
    await until('it waits', async () => (await pair.a.waiting()).length === 1);
    giveUp.abort(reason);
    await expect(wait).rejects.toBe(reason);
    await until('it waits no more', async () => (await pair.a.waiting()).length === 0);
  });

  test('leaves nothing behind, whenever it gives up', async () => {
    for (let ms = 0; ms < 40; ms += 2) {
      const giveUp = new AbortController();
      const held = await pair.a.reserve('moment');
      const wait = pair.b.reserve('moment', { wait: '60s', signal: giveUp.signal }).then(
        (hold) => hold.release(),
        () => {},
      );
      // In the moment of the release, a little before it, or a little after it.
      setTimeout(() => giveUp.abort(), ms / 2);
      await new Promise((resolve) => setTimeout(resolve, 10));
      await Promise.all([held.release(), wait]);
      await until(
        'it is free',
        async () => {
          const { reserved, waiting } = await pair.a.check('moment');
          return !reserved && waiting === 0;
        },
        15_000,
      );
    }
  });

  test('leaves nothing behind by a try either', async () => {
    for (const target of ['try', ['try', 'try2']]) {
      const giveUp = new AbortController();
      const attempt = pair.b.reserve(target, { signal: giveUp.signal });
      giveUp.abort(new Error('at once'));
      await expect(attempt).rejects.toThrow('at once');
      await until('it is free', async () => !(await pair.a.check('try')).reserved, 15_000);
    }
  });

  test('by an error in onWaiting cancels its ticket, too', async () => {
    await using _ = await pair.a.reserve('thrown');
    const onWaiting = () => {
      throw new Error('in the callback');
    };
    await expect(pair.b.reserve('thrown', { wait: '60s', onWaiting })).rejects.toThrow('in the callback');
    await until('it waits no more', async () => (await pair.a.waiting()).length === 0);
  });
});
