/** The tables of errors in the specification and in the API reference have every code of the service. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FAILURE_CODES } from '../../src/domain/errors.ts';

const PAGES = ['docs/specification.md', 'docs/api/README.md'];

describe.each(PAGES)('%s', (page) => {
  const rows = readFileSync(page, 'utf8').match(/^\| \d{3} \| .*$/gm) ?? [];

  test.each(FAILURE_CODES)('has a row for %s', (code) => {
    expect(rows.some((row) => row.includes(`\`${code}\``))).toBe(true);
  });
});
