/**
 * Durations that people type: `2h`, `1h30m`, `1d`.
 */
const DURATION = /^(?:(\d{1,5})d)?(?:(\d{1,6})h)?(?:(\d{1,7})m(?:in)?)?(?:(\d{1,8})s)?$/i;

/** Reads `2h`, `1h30m` or `1d`, in s; null: it is no duration */
export function durationOf(word: string): number | null {
  const match = DURATION.exec(word);
  if (match === null || word === '') return null;
  const [days = 0, hours = 0, minutes = 0, rest = 0] = match.slice(1).map((digits) => Number(digits ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + rest;
}

/** Writes a duration of whole seconds so that durationOf() reads the same: `1d`, `1h30m`, `0s`. */
export function durationText(seconds: number): string {
  const parts = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  const text = [...parts, seconds % 60].map((one, i) => (one === 0 ? '' : `${one}${'dhms'.charAt(i)}`)).join('');
  return text === '' ? '0s' : text;
}
