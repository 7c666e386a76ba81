/** docs/specification.md#errors has every code of the service. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withErrorTable } from '../../scripts/errorTable.ts';
import { FAILURE_CODES } from '../../src/domain/errors.ts';

const page = readFileSync('docs/specification.md', 'utf8');

test('the table of errors is current; if not, run: npm run generate', () => {
  expect(withErrorTable(page) === page).toBe(true);
  expect(FAILURE_CODES.filter((code) => !page.includes(`| \`${code}\` |`))).toEqual([]);
});
