/**
 * Finds the known name that a misspelled one probably means.
 */

/** Longer names are not compared: it would cost more than it helps. */
const MAX_CHARACTERS = 40;
/** Letters that two names must share at their start to begin alike. */
const BEGINNING = 3;

/**
 * @param name the name that is not known
 * @returns the known name with the fewest letters to change, if that is at most half of them or both names begin alike;
 * null if no name is near. A name that contains the other has nothing to change
 */
export function nearest(name: string, known: readonly string[]): string | null {
  if (name.length === 0 || name.length > MAX_CHARACTERS) return null;
  const given = name.toLowerCase();
  const ranked = known
    .map((one) => ({ one, distance: distanceOf(given, one.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  if (best === undefined) return null;
  const isNear = best.distance <= Math.max(given.length, best.one.length) / 2;
  return isNear || best.one.toLowerCase().startsWith(given.slice(0, BEGINNING)) ? best.one : null;
}

function distanceOf(a: string, b: string): number {
  return a.includes(b) || b.includes(a) ? 0 : levenshtein(a, b);
}

/** The number of letters to insert, delete or replace. */
function levenshtein(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
