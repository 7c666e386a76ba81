/** Choices that look random and come again with the same seed. */

export interface Random {
  /** From 0 to 1, without 1. */
  next(): number;
  /** An integer of a range, both ends included. */
  between(from: number, to: number): number;
  /** One of a list, which must not be empty. */
  pick<T>(list: readonly T[]): T;
  chance(share: number): boolean;
  /** Choices of their own: what one part draws does not change what another part draws. */
  fork(name: string): Random;
}

export function createRandom(seed: string): Random {
  // Mulberry32, begun with an FNV-1a hash of the seed.
  let state = 2_166_136_261;
  for (const byte of Buffer.from(seed)) state = Math.imul(state ^ byte, 16_777_619);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    between,
    pick: <T>(list: readonly T[]): T => {
      const one = list[between(0, list.length - 1)];
      if (one === undefined) throw new Error('there is nothing to pick from');
      return one;
    },
    chance: (share) => next() < share,
    fork: (name) => createRandom(`${seed}/${name}`),
  };
}

/** Deals things in random order, each of them once before any of them again. */

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

/** The clock of a campaign: it is not moved when a fault steps the clock of a server. */

/** Returns the time in ms since 1970, with fractions. */
export const now = (): number => performance.timeOrigin + performance.now();
