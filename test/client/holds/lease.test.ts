/** A lease as its holder sees it, by clocks that the test sets. */
import { describe, expect, test } from 'vitest';
import { CLOCKS, type Clocks } from '../../../packages/client/src/holds/clocks.ts';
import { Lease, marginOf } from '../../../packages/client/src/holds/lease.ts';

function setUp(ttlMs = 10_000) {
  const time = { monotonic: 500, wall: 1_000_000 };
  const clocks: Clocks = { ...CLOCKS, monotonic: () => time.monotonic, wall: () => time.wall };
  const pass = (ms: number) => {
    time.monotonic += ms;
    time.wall += ms;
  };
  const lease = new Lease('printer', clocks);
  const offset = time.wall - time.monotonic;
  lease.extend(ttlMs, time.monotonic, offset);
  return { lease, time, pass, offset };
}

describe('the margin', () => {
  test.each([
    [100, 50],
    [1000, 100],
    [10_000, 1000],
    [30_000, 2000],
    [3_600_000, 2000],
  ])('of a lease of %i ms is %i ms', (ttlMs, margin) => {
    expect(marginOf(ttlMs)).toBe(margin);
  });
});

describe('a lease', () => {
  test('counts as over a margin before it ends, from when the request was sent', () => {
    const { lease, pass } = setUp();
    pass(8999);
    expect(lease.signal.aborted).toBe(false);
    pass(1);
    expect(lease.signal.aborted).toBe(true);
    expect(lease.signal.reason).toMatchObject({ code: 'LEASE_LOST' });
  });

  test('counts from when the request was sent, not from when its response came', () => {
    const { lease, time, pass, offset } = setUp();
    const sentAt = time.monotonic;
    pass(4000);
    lease.extend(10_000, sentAt, offset);
    expect(lease.remainingMs).toBe(5000);
    expect(lease.latestEnd).toBe(sentAt + 14_000);
  });

  test('is over by the wall clock if the monotonic one stood still while the machine slept', () => {
    const { lease, time } = setUp();
    time.wall += 9000;
    expect(lease.signal.aborted).toBe(true);
  });

  test('is over by the monotonic clock if the wall clock is set back', () => {
    const { lease, time } = setUp();
    time.wall -= 60_000;
    time.monotonic += 9000;
    expect(lease.signal.aborted).toBe(true);
  });

  test('is over if the machine slept between the request and its response', () => {
    const { lease, time, offset } = setUp();
    const sentAt = time.monotonic;
    time.wall += 20_000;
    lease.extend(10_000, sentAt, offset);
    expect(lease.signal.aborted).toBe(true);
  });

  test('is renewed each time a third has passed', () => {
    const { lease, pass } = setUp();
    expect(lease.renewInMs).toBeCloseTo(3333.33);
    pass(3334);
    expect(lease.renewInMs).toBeLessThan(0);
    expect(lease.isHalfOver).toBe(false);
    pass(1700);
    expect(lease.isHalfOver).toBe(true);
  });

  test('that is about to be shortened counts as short, even if no response comes', () => {
    const { lease, pass } = setUp(60_000);
    lease.announce(10_000);
    expect(lease.remainingMs).toBe(9000);
    pass(9000);
    expect(lease.signal.aborted).toBe(true);
  });

  test('without an end never counts as over', () => {
    const { lease, pass } = setUp(Number.POSITIVE_INFINITY);
    pass(1e12);
    expect(lease.signal.aborted).toBe(false);
    expect(lease.renewInMs).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the signal', () => {
  test('looks at the clock whenever aborted or throwIfAborted is read', () => {
    for (const look of [(signal: AbortSignal) => signal.aborted, (signal: AbortSignal) => signal.throwIfAborted()]) {
      const { lease, pass } = setUp();
      const heard: unknown[] = [];
      lease.signal.addEventListener('abort', () => heard.push(lease.signal.reason));
      pass(9000);
      expect(heard).toEqual([]);
      try {
        look(lease.signal);
      } catch (error) {
        expect(error).toBe(lease.signal.reason);
      }
      expect(heard).toMatchObject([{ code: 'LEASE_LOST' }]);
    }
  });

  test('stays as it is when the lease has been given back', () => {
    const { lease, pass } = setUp();
    const { signal } = lease;
    lease.finish();
    pass(60_000);
    expect(signal.aborted).toBe(false);
    expect(lease.lost).toBeUndefined();
  });

  test('works where signals are passed on', async () => {
    const { lease } = setUp();
    const any = AbortSignal.any([lease.signal]);
    const fetched = fetch('http://127.0.0.1:9/', { signal: lease.signal }).catch((error: unknown) => error);
    lease.abort(new Error('enough'));
    expect(any.aborted).toBe(true);
    expect(await fetched).toMatchObject({ message: 'enough' });
  });
});
