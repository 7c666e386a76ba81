/**
 * Log lines about something that is away (docs/operations/monitoring.md#logs).
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Outage } from '../../src/domain/outage.ts';
import { createLogger } from '../../src/telemetry/log.ts';

let outage: Outage;
let lines: string[];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  lines = [];
  const log = createLogger('info', {
    write: (line) => {
      const { msg, err } = JSON.parse(line);
      lines.push(err === undefined ? msg : `${msg}: ${err.message}`);
    },
  });
  outage = new Outage(log, 'away', 'back');
});
afterEach(() => {
  vi.useRealTimers();
});

const fail = (...reasons: string[]) => {
  for (const reason of reasons) outage.failed(new Error(reason));
};

describe('an outage', () => {
  test('is logged once for each reason, and once when it is over', () => {
    fail('reset', 'refused', 'refused', 'reset', 'refused');
    vi.advanceTimersByTime(1);
    outage.worked();
    outage.worked();
    expect(lines).toEqual(['away: reset', 'away: refused', 'back']);
    fail('refused');
    expect(lines.at(-1)).toBe('away: refused');
  });

  test('is not over when an attempt works that began before the last failure', () => {
    const beganAt = performance.now();
    vi.advanceTimersByTime(1);
    fail('refused');
    outage.worked(beganAt);
    expect(lines).toEqual(['away: refused']);
  });

  test('is logged again every ten minutes while it lasts', () => {
    for (let s = 0; s <= 1200; s += 2) {
      fail('refused');
      vi.advanceTimersByTime(2000);
    }
    expect(lines).toEqual(['away: refused', 'away: refused', 'away: refused']);
  });

  test('is logged with ten reasons at most', () => {
    fail(...Array.from({ length: 100 }, (_, i) => `reason ${i}`));
    expect(lines).toHaveLength(10);
  });

  test('is not over before it has begun', () => {
    outage.worked();
    expect(lines).toEqual([]);
  });
});
