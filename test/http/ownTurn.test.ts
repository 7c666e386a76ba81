import { describe, expect, test } from 'vitest';
import { ownTurn } from '../../src/http/ownTurn.ts';

describe('pieces of long work', () => {
  test('each have a turn of the event loop, in order, with other work in between', async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const began: [name: string, turn: number][] = [];
    await Promise.all(['a', 'b', 'c'].map((name) => ownTurn().then(() => began.push([name, turns]))));
    isOver = true;
    expect(began.map(([name]) => name)).toEqual(['a', 'b', 'c']);
    expect(new Set(began.map(([, turn]) => turn)).size).toBe(3);
  });
});
