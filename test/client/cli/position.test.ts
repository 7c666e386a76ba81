/** Messages of a run while it waits. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Position } from '../../../packages/client/src/cli/run/position.ts';
import type { Waiting } from '../../../packages/client/src/types.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const at = (seconds: number) => new Date(NOW + 1000 * seconds).toISOString();

/** A place behind `ahead` others, for something that `requester` has held for 4 min. */
const waiting = (ahead: number, requester = 'ann', waitsFor = 'printer'): Waiting => {
  const holder = { requester, resource: waitsFor, slot: waitsFor, since: at(-240), until: at(28), note: 'build 1' };
  const reason = { kind: 'SLOTS' as const, resource: waitsFor, holders: [holder], more: 0, next: [] };
  return { ahead, waitsFor, since: '', until: '', reason };
};
const HELD = 'ann has held it for 4m (build 1); its lease ends in 28s';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'], now: NOW });
});
afterEach(() => void vi.useRealTimers());

/** Without a terminal. */
function told(what: string) {
  const said: string[] = [];
  const screen = { isTerminal: false, columns: 80, say: (line: string) => said.push(line), write: () => {} };
  return { said, position: new Position(what, screen) };
}

describe('a line', () => {
  test('says the place, who is in the way since when, why, and until when', () => {
    const { said, position } = told('printer');
    position.update(waiting(0));
    expect(said).toEqual([`waiting for printer: you are next. ${HELD}`]);
    position.stop();
  });

  test('names what is in the way, if that is another resource', () => {
    const { said, position } = told('a, b');
    position.update(waiting(2, 'ann', 'b'));
    expect(said).toEqual([`waiting for a, b: 2 before you for b. ${HELD}`]);
    position.stop();
  });

  test('says that what nobody holds is out of service or needs cleaning', () => {
    const { said, position } = told('phone');
    const reason = { kind: 'SLOTS' as const, resource: 'os=ios', holders: [], more: 0, next: [] };
    position.update({ ahead: 0, waitsFor: 'os=ios', since: '', until: '', reason });
    expect(said).toEqual(['waiting for phone: you are next for os=ios. os=ios is out of service or needs cleaning']);
    position.stop();
  });

  test('comes at once if the place is worse', () => {
    const { said, position } = told('printer');
    position.update(waiting(0));
    vi.advanceTimersByTime(1000);
    position.update(waiting(1));
    expect(said).toHaveLength(2);
    expect(said[1]).toMatch(/^waiting for printer: 1 before you\. /);
    position.stop();
  });

  test('comes 10 s after the last one if the place is better, or somebody else holds it', () => {
    const { said, position } = told('printer');
    position.update(waiting(3));
    vi.advanceTimersByTime(1000);
    position.update(waiting(2));
    vi.advanceTimersByTime(8000);
    expect(said).toHaveLength(1);
    vi.advanceTimersByTime(1000);
    expect(said).toHaveLength(2);
    vi.advanceTimersByTime(11_000);
    position.update(waiting(2, 'bob'));
    expect(said[2]).toMatch(/^waiting for printer: 2 before you\. bob has held it/);
    position.stop();
  });

  test('comes every minute if nothing has changed, and not after the wait', () => {
    const { said, position } = told('printer');
    position.update(waiting(0));
    for (let i = 1; i < 12; i++) {
      vi.advanceTimersByTime(5000);
      position.update(waiting(0));
    }
    expect(said).toHaveLength(1);
    vi.advanceTimersByTime(5000);
    expect(said).toHaveLength(2);
    position.stop();
    vi.advanceTimersByTime(120_000);
    expect(said).toHaveLength(2);
  });
});

describe('a terminal', () => {
  test('has one line, not longer than it is wide', () => {
    const written: string[] = [];
    const screen = { isTerminal: true, columns: 40, say: () => {}, write: (text: string) => written.push(text) };
    const position = new Position('printer', screen);
    position.update(waiting(0));
    expect(written.at(-1)).toBe('holdfast: waiting for printer, for 0s: ');
    vi.advanceTimersByTime(1000);
    expect(written.at(-1)).toBe('holdfast: waiting for printer, for 1s: ');
    position.stop();
    expect(written.at(-1)).toBe('\r\u001b[K');
  });
});
