/**
 * The rows of tools that list things: the first of them, and a line that counts them.
 */
import { z } from 'zod';
import { must } from '../contract/fields.ts';
import type { OpenList } from '../operations/lists.ts';

const DEFAULT_ROWS = 50;
const MAX_ROWS = 500;
const RULE = `an integer from 1 to ${MAX_ROWS}`;
/** The argument of lists: how long they may be. */
export const limit = z
  .int({ error: must(RULE) })
  .min(1, `must be ${RULE}`)
  .max(MAX_ROWS, `must be ${RULE}`)
  .optional()
  .meta({ description: `How many to return at most. Default ${DEFAULT_ROWS}.`, example: DEFAULT_ROWS });

/** The field of results that says whether the list was cut. */
export const more = z
  .boolean()
  .meta({ description: 'Whether there are more than these. Narrow the list, or raise the limit.' });

/** Reads the first rows of a list that has been charged. */
export async function firstRows<Row>(
  { pages, close }: OpenList<Row>,
  atMost = DEFAULT_ROWS,
  isWanted: (row: Row) => boolean = () => true,
): Promise<{ readonly rows: Row[]; readonly more: boolean }> {
  const rows: Row[] = [];
  try {
    for await (const page of pages) {
      rows.push(...page.filter(isWanted));
      if (rows.length > atMost) break;
    }
  } finally {
    close();
  }
  return { rows: rows.slice(0, atMost), more: rows.length > atMost };
}

/**
 * The first line of a list, which counts its rows.
 * @param none the line if there are none
 */
export function counted(
  rows: readonly unknown[],
  more: boolean,
  none: string,
  [one, several]: readonly [string, string],
) {
  if (rows.length === 0) return none;
  return `${more ? `The first ${rows.length}` : rows.length} ${rows.length === 1 ? one : several}:`;
}
