/**
 * Writes rows as CSV (RFC 4180), as they come in parts.
 */
import type { ListWriter } from './listing.ts';

/** Spreadsheets take cells that begin so for formulas. */
const FORMULA = /^[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;

/** A cell. One that a spreadsheet would run as a formula begins with an apostrophe. */
function cell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const line = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

/**
 * @param names of the columns, for the first line
 * @param cellsOf a row's texts, in the order of the columns
 */
export function csvRows<Row>(names: readonly string[], cellsOf: (row: Row) => readonly string[]): ListWriter<Row> {
  let head = line(names);
  return {
    write: (rows) => {
      const text = head + rows.map((row) => line(cellsOf(row))).join('');
      head = '';
      return text;
    },
    end: () => head,
  };
}
