/** The table of tiers in docs/specification.md#limits has the limits of the code. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_TIERS, TIERS } from '../../src/domain/tiers.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { watch } from '../support/watch.ts';

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
      shown(limits.bookings),
      shown(limits.definitions),
      `${shown((limits.bytes ?? 0) / 1024 / 1024)} MiB`,
      shown(limits.eventConnections),
      shown(limits.apiKeys),
      shown(limits.notices),
      days(limits.auditDays),
      days(limits.historyDays) + (historyEntries === null ? '' : `, ${shown(historyEntries)} entries`),
    ];
  });
  expect(rows).toEqual(expected);
});

/**
 * A tenant's tier caps how many resources it may register.
 */
describe('the limit of resource definitions', () => {
  let one: Instance;
  beforeAll(async () => {
    const keys = [{ ...makeConfiguredKey(makeTenant()), tier: 'Free' as const }];
    one = await startInstance({ keys, env: { TIERS: JSON.stringify({ Free: { definitions: 5 } }) } });
  });
  afterAll(() => one.stop());

  test('at the cap new names are refused whole: 429 ResourceDefinitions, and subscribers get an event; registered resources may be changed', async () => {
    const subscriber = await watch(one);
    expect((await one.register({ name: 'a' }, { name: 'b' }, { name: 'c', treePath: 'd' })).status).toBe(200);
    const refused = await one.register({ name: 'e' }, { name: 'f' });
    expect(refused).toMatchObject({
      status: 429,
      body: { limitType: 'ResourceDefinitions', limit: 5, tier: 'Free', upgradeRequired: true, code: 'LIMIT_REACHED' },
    });
    expect((await subscriber.count(1))[0]).toMatchObject({
      type: 'TIER_LIMIT_REACHED',
      limitType: 'ResourceDefinitions',
      limit: 5,
    });
    expect((await one.register({ name: 'a', capacity: 3 }, { name: 'e', treePath: 'd' })).status).toBe(200);
    expect((await one.register({ name: 'f' })).status).toBe(429);
    await one.delete('b');
    expect((await one.register({ name: 'f' })).status).toBe(200);
    expect((await one.definitions()).body.map(({ name }) => name)).toEqual(['a', 'c', 'd', 'e', 'f']);
  });
});
