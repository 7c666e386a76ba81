/** Deals things in random order, each of them once before any of them again. */
import type { Random } from './random.ts';

/** @param things at least one */
export function deck<T>(things: readonly T[], random: Random): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = [...things];
    const [one] = left.splice(random.between(0, left.length - 1), 1);
    if (one === undefined) throw new Error('there is nothing to deal');
    return one;
  };
}
