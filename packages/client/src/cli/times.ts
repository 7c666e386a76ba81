/** Spans of time for people: `42s`, `4m12s`, `3h5m`, `2d4h`. */

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** The two largest units of a span in ms. */
export function span(ms: number): string {
  let seconds = Math.max(0, Math.round(ms / 1000));
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const amount = Math.floor(seconds / size);
    seconds -= amount * size;
    if (amount > 0 || parts.length > 0) parts.push(amount > 0 ? `${amount}${unit}` : '');
  }
  return parts.slice(0, 2).join('') || '0s';
}

/** Returns the time since a moment. */
export const ago = (time: string): string => span(Date.now() - Date.parse(time));

/** Returns the time until the end of a lease. */
export const left = (time: string | null): string => (time === null ? 'never' : span(Date.parse(time) - Date.now()));
