/**
 * Writes rows as CSV (RFC 4180), as they come in parts.
 */
import { accepts } from 'hono/accepts';
import type { Call } from './call.ts';
import type { ListWriter } from './listing.ts';

export const CSV = 'text/csv';

/** @param name of the file that browsers save, without its ending */
export const csvHeaders = (name: string) => ({
  'Content-Type': `${CSV}; charset=utf-8; header=present`,
  'Content-Disposition': `attachment; filename="${name}.csv"`,
});

/** @param format the parameter of the query, which takes precedence over the Accept header */
export const wantsCsv = (call: Call, format: 'json' | 'csv' | undefined): boolean =>
  format === undefined
    ? accepts(call.c, { header: 'Accept', supports: ['application/json', CSV], default: 'application/json' }) === CSV
    : format === 'csv';

/**
 * Spreadsheets take cells that begin so for formulas. Some of them take full-width signs for plain ones, and skip
 * blanks and invisible characters.
 */
const FORMULA = /^(?:[\t\r]|[\s\p{Z}\p{C}]*[=+\-@＝＋－＠])/u;
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
