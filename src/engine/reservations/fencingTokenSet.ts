/**
 * A set of fencing tokens in 16 bytes a token at most: what a walk over a tenant's reservations keeps in mind, so that
 * it gives none twice. A Set of numbers of this size takes three times as much.
 */
export class FencingTokenSet {
  #slots = new Float64Array(64);
  #size = 0;

  /** Adds a positive integer. Returns false where it was there already. */
  add(token: number): boolean {
    if (this.#size * 2 >= this.#slots.length) this.#grow();
    if (!insert(this.#slots, token)) return false;
    this.#size++;
    return true;
  }

  #grow(): void {
    const grown = new Float64Array(this.#slots.length * 2);
    for (const token of this.#slots) if (token !== 0) insert(grown, token);
    this.#slots = grown;
  }
}

/**
 * Open addressing: looks on from the token's own place until it finds the token or room. Returns whether it was room.
 */
function insert(slots: Float64Array, token: number): boolean {
  const mask = slots.length - 1;
  let at = Math.imul(token % 0x7fffffff, 0x9e3779b1) >>> 7;
  for (; ; at++) {
    const there = slots[at & mask];
    if (there === token) return false;
    if (there === 0) {
      slots[at & mask] = token;
      return true;
    }
  }
}
