/**
 * Cost by the number of tenants that requests come from, each connection asking for one after the other.
 */
import { cycle } from '../requests.ts';
import { headOf, type Stage } from '../stage.ts';
import { costOf, costPanels, measureAll, sized } from './cost.ts';
import type { Findings } from './line.ts';
import { settle } from './settle.ts';

const SIZES = [1, 10, 100, 1000, 10_000];
/** Longer than the 2 s after which an instance tells Redis what each tenant has done. */
const ROUND_MS = 2100;
/** Enough for all of them. */
const FIRST_MS = 5000;

/** Measures by tenants that ask. */
export async function tenants(stage: Stage): Promise<Findings> {
  const settled = await settle(
    stage,
    Array.from({ length: Math.max(...SIZES) }, (_, i) => `many-${i}`),
  );
  const heads = settled.map(headOf);
  let first = 0;
  const costs = SIZES.map((n) => {
    let next = 0;
    return sized('all tenants alike', n, () =>
      costOf(stage, (one) => cycle(one, 1, { head: heads[next++ % n] }), { roundMs: ROUND_MS }),
    );
  });
  // Each has asked before it counts: its first lease takes three calls.
  await costOf(stage, (one) => cycle(one, 1, { head: heads[first++ % heads.length] }), { roundMs: FIRST_MS });
  await measureAll(costs);
  return {
    chart: {
      name: 'tenants',
      title: 'Reserve and release, by tenants that ask in turn',
      of: 'tenants',
      panels: costPanels(costs),
    },
    facts: costs.map(({ n, series }) => ({
      what: `requests to a script call, ${n} tenants`,
      value: series.figure(({ requestsPerCall }) => requestsPerCall).median,
      unit: '',
    })),
  };
}
