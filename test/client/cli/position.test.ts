/** What a run says while it waits. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Position } from '../../../packages/client/src/cli/run/position.ts';

const waiting = (ahead: number, waitsFor = 'printer') => ({ ahead, waitsFor, since: '', until: '' });

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

describe('the position in the queue', () => {
  test('is told without a terminal when it has changed, at most every 10 s', () => {
    const said: string[] = [];
    const position = new Position('printer', { isTerminal: false, say: (line) => said.push(line), write: () => {} });
    position.update(waiting(3));
    vi.advanceTimersByTime(1000);
    position.update(waiting(2));
    vi.advanceTimersByTime(1000);
    position.update(waiting(1));
    expect(said).toEqual(['waiting for printer: 3 ahead']);
    vi.advanceTimersByTime(8000);
    expect(said).toEqual(['waiting for printer: 3 ahead', 'waiting for printer: 1 ahead']);
    vi.advanceTimersByTime(60_000);
    position.update(waiting(1));
    expect(said).toHaveLength(2);
    position.update(waiting(0));
    expect(said).toHaveLength(3);
    position.update(waiting(1));
    position.stop();
    vi.advanceTimersByTime(60_000);
    expect(said).toHaveLength(3);
  });

  test('names what is in the way, if that is another resource', () => {
    const said: string[] = [];
    const position = new Position('a, b', { isTerminal: false, say: (line) => said.push(line), write: () => {} });
    position.update(waiting(0, 'b'));
    expect(said).toEqual(['waiting for a, b: 0 ahead (b is not free)']);
  });
});
