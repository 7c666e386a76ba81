/**
 * Writes the table of errors in docs/specification.md#errors from src/http/reference/errors.ts.
 */
import { FAILURE_CODES } from '../src/domain/errors.ts';
import { ERRORS } from '../src/http/reference/errors.ts';
import { SPECIFICATION } from '../src/http/reference/rules.ts';

/** @returns the specification with the table as it should be */
export function withErrorTable(page: string): string {
  const rows = FAILURE_CODES.map((code) => [ERRORS[code][0], code, ERRORS[code][1]] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([status, code, meaning]) => `| ${status} | \`${code}\` | ${meaning.replaceAll(SPECIFICATION, '')} |`);
  const table = ['| status | code | meaning |', '| --- | --- | --- |', ...rows].join('\n');
  return page.replace(/^\| status \| code \| meaning \|\n(\|.*\n)*/m, () => `${table}\n`);
}
