/**
 * The cursor of a page: where the next one begins.
 */

/** @returns null if the page is the last one */
export function nextOf<Row>(page: readonly Row[], limit: number, cursorOf: (last: Row) => string): string | null {
  const last = page.at(-1);
  return last === undefined || page.length < limit ? null : cursorOf(last);
}
