/** docs/specification.md#resources has every field of the result of a reserve. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ReserveResult } from '../../src/contract/reservations.ts';

test('the specification has a row for each field of the result of a reserve', () => {
  const [, rest = ''] = readFileSync('docs/specification.md', 'utf8').split(
    'The result of a reserve has these fields:',
  );
  const [table = ''] = rest.trimStart().split('\n\n');
  const rows = table.match(/^\| `[^|]*\|/gm) ?? [];
  const named = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named.toSorted(), 'change that table').toEqual(Object.keys(ReserveResult.shape).toSorted());
});
