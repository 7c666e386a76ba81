/** The setups that a campaign runs on. */
import type { Setup } from '../system.ts';
import { startSystem, type Wanted } from './start.ts';

const ONE = { topology: 'one', persistence: 'always', waitReplicas: 0, replicas: 0, hasDatabase: false } as const;
const SENTINEL = { ...ONE, topology: 'sentinel', replicas: 2 } as const;
const CLUSTER = { ...ONE, topology: 'cluster', replicas: 1 } as const;

const WANTED: Readonly<Record<string, Wanted>> = {
  always: ONE,
  everysec: { ...ONE, persistence: 'everysec' },
  none: { ...ONE, persistence: 'none' },
  sentinel: { ...SENTINEL, persistence: 'everysec' },
  'sentinel-all': { ...SENTINEL, waitReplicas: 2 },
  cluster: { ...CLUSTER, persistence: 'everysec' },
  'cluster-all': { ...CLUSTER, waitReplicas: 1 },
  database: { ...ONE, hasDatabase: true },
};

export const SETUPS: readonly Setup[] = Object.entries(WANTED).map(([name, wanted]) => ({
  name,
  start: (random, program, other) => startSystem(wanted, random, program, other),
}));
