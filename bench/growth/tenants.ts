/**
 * Cost by the number of tenants. Each connection sends requests of one tenant after the other.
 */
import { cycle } from '../requests.ts';
import { headOf, type Stage } from '../stage.ts';
import { costOf, costPanels, measureAll, sized } from './cost.ts';
import { settle } from './settle.ts';
import type { Findings } from './verdict.ts';

const SIZES = [1, 10, 100, 1000, 10_000];
/** Longer than the 2 s after which an instance reports tenants' activity to Redis. */
const ROUND_MS = 2100;
/** Enough for all tenants. */
const FIRST_MS = 5000;

/** Measures by the number of tenants. */
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
  // Each tenant has a warm-up request, since its first lease takes three calls.
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
