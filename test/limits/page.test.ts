/** The tables of tiers in docs/limits.md and docs/specification.md#limits have the limits of the code. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEFAULT_TIERS, TIERS, type TierLimits } from '../../src/domain/tiers.ts';

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

describe('docs/limits.md', () => {
  const ROWS: Readonly<Record<string, keyof TierLimits>> = {
    'writes a minute': 'writesPerMinute',
    'writes a day': 'writesPerDay',
    'reads a minute': 'readsPerMinute',
    'reservations at the same time': 'reservations',
    'registered resources': 'definitions',
    bytes: 'bytes',
    'event streams at the same time': 'eventConnections',
    keys: 'apiKeys',
    'audit trail, days': 'auditDays',
    'history, days': 'historyDays',
    'history, entries': 'historyEntries',
  };

  test('has every limit of every tier', () => {
    const rows = Object.entries(ROWS).map(([title, limit]) => [
      title,
      ...TIERS.map((tier) => shown(DEFAULT_TIERS[tier][limit])),
    ]);
    const [head, , ...body] = tableOf('docs/limits.md', 'Tiers');
    expect([head, ...body]).toEqual([['', ...TIERS], ...rows]);
    expect(Object.values(ROWS).toSorted()).toEqual(Object.keys(DEFAULT_TIERS.Free).toSorted());
  });
});

test('docs/specification.md has the same limits', () => {
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
