/** All faults of the campaign. */
import type { Fault } from '../fault.ts';
import { CLOCK_FAULTS } from './clocks.ts';
import { NETWORK_FAULTS } from './networks.ts';
import { PAIRS } from './pairs.ts';
import { PRIMARY_FAULTS } from './primaries.ts';
import { PROCESS_FAULTS } from './processes.ts';
import { REDIS_FAULTS } from './redis.ts';
import { REPLICA_FAULTS } from './replicas.ts';
import { SLOT_FAULTS } from './slots.ts';
import { TENANT_FAULTS } from './tenants.ts';

export const FAULTS: readonly Fault[] = [
  ...PROCESS_FAULTS,
  ...REDIS_FAULTS,
  ...REPLICA_FAULTS,
  ...PRIMARY_FAULTS,
  ...SLOT_FAULTS,
  ...NETWORK_FAULTS,
  ...CLOCK_FAULTS,
  ...TENANT_FAULTS,
  ...PAIRS,
];
