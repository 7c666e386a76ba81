/**
 * Slow receivers delay no others (docs/specification.md#webhooks).
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Lanes } from '../../src/notices/lanes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Has receivers answer after some ms. Returns how long each took, with its wait for a place. */
async function answer(lanes: Lanes, receivers: readonly string[], ms: number): Promise<number[]> {
  const beganAt = performance.now();
  const ends = receivers.map(async (receiver) => {
    await lanes.run(receiver, () => pause(ms));
    return Math.round(performance.now() - beganAt);
  });
  await vi.advanceTimersByTimeAsync(100_000);
  return Promise.all(ends);
}
const many = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}${i}`);
const makeQuick = async (lanes: Lanes, receiver: string) => {
  for (let i = 0; i < 3; i++) await answer(lanes, [receiver], 10);
};
/** Starts slow answers that nobody waits for. */
const occupy = (lanes: Lanes, receivers: readonly string[], ms: number) => {
  for (const receiver of receivers) void lanes.run(receiver, () => pause(ms));
};

describe('a receiver that has answered quickly', () => {
  test('does not wait for new receivers, nor for slow ones', async () => {
    const lanes = new Lanes();
    await makeQuick(lanes, 'quick');
    await answer(lanes, many('slow', 300), 9000);
    occupy(lanes, many('slow', 300), 9000);
    occupy(lanes, many('new', 300), 9000);
    expect(await answer(lanes, ['quick'], 10)).toEqual([10]);
  });

  test('waits at most a second for others that have become slow', async () => {
    const lanes = new Lanes();
    for (const receiver of many('quick', 128)) await makeQuick(lanes, receiver);
    await makeQuick(lanes, 'other');
    occupy(lanes, many('quick', 128), 9000);
    expect(await answer(lanes, ['other'], 10)).toEqual([1010]);
  });
});

describe('a slow receiver', () => {
  test('waits for a place among the slow ones', async () => {
    const lanes = new Lanes();
    await answer(lanes, many('slow', 129), 9000);
    const took = await answer(lanes, many('slow', 129), 9000);
    expect([took[127], took[128]]).toEqual([9000, 18_000]);
  });

  test('needs ten quick answers in a row to leave them', async () => {
    const lanes = new Lanes();
    await answer(lanes, many('slow', 128), 9000);
    await answer(lanes, ['better'], 9000);
    for (let i = 0; i < 9; i++) await answer(lanes, ['better'], 10);
    occupy(lanes, many('slow', 128), 9000);
    expect(await answer(lanes, ['better'], 10)).toEqual([9010]);
    for (let i = 0; i < 10; i++) await answer(lanes, ['better'], 10);
    occupy(lanes, many('slow', 128), 9000);
    expect(await answer(lanes, ['better'], 10)).toEqual([10]);
  });
});
