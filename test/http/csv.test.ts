/** CSV that spreadsheets open (docs/specification.md#audit-trail). */
import { describe, expect, test } from 'vitest';
import { csvRows } from '../../src/http/call/csv.ts';

const written = (text: string) =>
  csvRows([], (cell: string) => [cell])
    .write([text])
    .split('\r\n')
    .slice(1)
    .join('\r\n');

describe('no cell is a formula', () => {
  test.each([
    ...[
      '=1',
      '+1',
      '-1',
      '@a',
      '\tx',
      '＝1+1',
      '＋1',
      '－1',
      '＠a',
      ' =1',
      '\u00a0=1',
      '\u3000＝1',
      '\u200b=1',
      '\ufeff@a',
    ],
    ...['\u2060\u200d +1', '\u0007=1'],
  ])('%j', (text) => {
    expect(written(text)).toBe(`'${text}\r\n`);
  });

  test.each(['a=1', ' a', 'ä', '１', 'a-b', '\u200ba'])('but %j stays as it is', (text) => {
    expect(written(text)).toBe(`${text}\r\n`);
  });
});
