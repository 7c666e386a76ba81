/** Renewals in the background: which of them travel together. */
import { expect, test } from 'vitest';
import { Keeper } from '../../../packages/client/src/holds/keeper.ts';
import { Lease } from '../../../packages/client/src/holds/lease.ts';

/** Clocks that stand still, and timers that run when the test says so. */
function stillClocks() {
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  let now = 0;
  const clocks = {
    monotonic: () => now,
    wall: () => now,
    timer(run: () => void, ms: number) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  /** Runs the timer that is due first, at its time. */
  const runFirst = () => {
    const [first] = [...timers].sort((a, b) => a.at - b.at);
    if (first === undefined) throw new Error('no timer');
    timers.delete(first);
    now = first.at;
    first.run();
  };
  return { clocks, runFirst };
}

test('renewals that are due soon are made with the first that is due, and no others', () => {
  const { clocks, runFirst } = stillClocks();
  const keeper = new Keeper();
  const renewed: number[] = [];
  // Sent within 4 s; the last one 6 s later than the first.
  for (const sentAt of [...Array.from({ length: 100 }, (_, i) => i * 40), 6000]) {
    const lease = new Lease('printer', clocks);
    lease.extend(30_000, sentAt, 0);
    keeper.keep(lease, async () => renewed.push(sentAt));
  }
  runFirst();
  expect(renewed).toHaveLength(100);
  expect(renewed).not.toContain(6000);
});
