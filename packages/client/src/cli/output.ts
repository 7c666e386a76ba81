/** Prints results on stdout, tables for people and JSON for programs, and messages on stderr. */
import { writeSync } from 'node:fs';

/**
 * Replaces control characters by a space: they would let a name or a message rewrite the terminal, or take more than
 * its line. Characters that change the direction of text go too: with them, one row could be read as another.
 */
export const plain = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ').replace(LOG_COMMAND, '# #');

/**
 * GitHub Actions and Azure Pipelines obey `##[set-output …]` and `##vso[…]` in the middle of a line of a log: the note
 * of somebody else must not say what a job does.
 */
const LOG_COMMAND = /##(?=\w*\[)/g;

/** JSON escapes C0 control characters itself, but neither DEL nor C1, which a terminal obeys too. */
const escaped = (json: string) =>
  json
    .replace(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
    .replace(LOG_COMMAND, '#\\u0023');

/** Prints lines on stdout. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Prints a value as JSON. @param indent spaces of each level; 0 prints one line */
export const printJson = (value: unknown, indent = 2): void => print(escaped(JSON.stringify(value, null, indent)));

/** Clears the line of a terminal that the cursor is in. */
export const CLEAR_LINE = '\r\x1b[K';

/** True if the last text on stderr was a line without its break: the position in the queue. */
let isLineOpen = false;

/** One line on stderr. It is written at once, and never fails: stderr may be closed. */
export const say = (message: string): void => write(`${isLineOpen ? CLEAR_LINE : ''}holdfast: ${plain(message)}\n`);

/**
 * Writes on stderr as it is. Not by process.stderr: that would make a pipe non-blocking, also for a command that
 * shares it.
 */
export function write(text: string): void {
  isLineOpen = text !== CLEAR_LINE && !text.endsWith('\n');
  try {
    writeSync(2, text);
  } catch {
    // Nobody reads it.
  }
}

/** Columns that are as wide as their widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(plain))];
  const widths = headings.map((_, i) => Math.max(...lines.map((line) => lengthOf(line[i] ?? ''))));
  return lines
    .map((line) =>
      line
        .map((cell, i) => pad(cell, widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Prints rows as JSON, as a table, or a sentence if there are none. */
export function printRows<Row>(
  json: boolean,
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
  none: string,
): void {
  if (json) printJson(rows);
  else if (rows.length === 0) say(none);
  else
    print(
      table(
        Object.keys(columns),
        rows.map((row) => Object.values(columns).map((cell) => cell(row))),
      ),
    );
}

const lengthOf = (text: string) => [...text].length;
const pad = (text: string, width: number) => text + ' '.repeat(width - lengthOf(text));

/** Waits until all that was printed has left. */
export const printed = (): Promise<void> => new Promise((resolve) => process.stdout.write('', () => resolve()));
