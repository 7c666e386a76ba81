/** The table of tiers in docs/specification.md#limits has the limits of the code. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULT_TIERS, TIERS } from '../../src/domain/tiers.ts';

const shown = (limit: number | null) => limit?.toLocaleString('en-US') ?? 'unlimited';

/** The rows of the table below a heading, as lists of cells. */
function tableOf(file: string, heading: string): string[][] {
  const [, section = ''] = readFileSync(file, 'utf8').split(`\n## ${heading}\n`);
  const lines = section.slice(0, section.indexOf('\n## ')).match(/^\|.*\|$/gm) ?? [];
  const rows = lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
  // The first table ends where a row has another number of cells.
  return rows.filter((row) => row.length === rows[0]?.length);
}

test('docs/specification.md has the limits of each tier', () => {
  const [, , ...rows] = tableOf('docs/specification.md', 'Limits');
  const days = (limit: number | null) => (limit === null ? 'kept' : `${limit} days`);
  const expected = TIERS.map((tier) => {
    const { historyEntries, ...limits } = DEFAULT_TIERS[tier];
    return [
      tier,
      shown(limits.writesPerMinute),
      shown(limits.writesPerDay),
      shown(limits.readsPerMinute),
      shown(limits.reservations),
      shown(limits.definitions),
      `${shown((limits.bytes ?? 0) / 1024 / 1024)} MiB`,
      shown(limits.eventConnections),
      shown(limits.apiKeys),
      days(limits.auditDays),
      days(limits.historyDays) + (historyEntries === null ? '' : `, ${shown(historyEntries)} entries`),
    ];
  });
  expect(rows).toEqual(expected);
});
