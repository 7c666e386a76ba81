/** Finds misspelt options, which only TypeScript finds by itself. */
import { invalid } from './errors.ts';

/**
 * @param given options; those that a call knows may have been taken out
 * @param known the names of those that it knows
 * @throws HoldfastError INVALID_OPTION
 */
export function refuseUnknown(given: object, ...known: readonly string[]): void {
  const name = Object.keys(given).find((key) => !known.includes(key));
  if (name !== undefined) throw invalid(`${name} is not a known option`);
}
