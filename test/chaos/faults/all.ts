/** All faults of the campaign, and pairs of them: the second fault begins while the first lasts. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Loses } from '../history.ts';
import { TENANT_FAULTS } from './administration.ts';
import { CLOCK_FAULTS } from './clocks.ts';
import type { Fault } from './make.ts';
import { NETWORK_FAULTS } from './networks.ts';
import { SLOT_FAULTS } from './nodes.ts';
import { PRIMARY_FAULTS, REPLICA_FAULTS } from './primaries.ts';
import { PROCESS_FAULTS } from './processes.ts';
import { REDIS_FAULTS } from './redis.ts';

/** The second begins within this time after the first. */
const APART_MS = 1500;

/** Returns the loss that two faults may cause together. */
function worse(one: Loses, other: Loses): Loses {
  if (one === 'everything' || other === 'everything') return 'everything';
  if (one === 'nothing') return other;
  if (other === 'nothing') return one;
  return { recentMs: Math.max(one.recentMs, other.recentMs) };
}

const both = (first: Fault, second: Fault): Fault => ({
  kind: `${first.kind}+${second.kind}`,
  appliesTo: (traits) => first.appliesTo(traits) && second.appliesTo(traits),
  inject: async (system, random) => {
    const later = async () => {
      await pause(random.between(0, APART_MS));
      return second.inject(system, random.fork('second'));
    };
    // If one fails, the other still heals what it has broken.
    const [one, other] = await Promise.allSettled([first.inject(system, random.fork('first')), later()]);
    if (one.status === 'rejected') throw one.reason;
    if (other.status === 'rejected') throw other.reason;
    const [a, b] = [one.value, other.value];
    const spared = a.sparedAddresses?.filter((name) => b.sparedAddresses?.includes(name)) ?? [];
    return {
      targets: [...a.targets, ...b.targets],
      loses: worse(a.loses, b.loses),
      servedWithinMs: Math.max(a.servedWithinMs, b.servedWithinMs),
      sparedAddresses: spared,
      clockStepMs: a.clockStepMs + b.clockStepMs,
      detail: `${a.detail}; meanwhile: ${b.detail}`,
    };
  },
});

const SINGLE = [
  ...PROCESS_FAULTS,
  ...REDIS_FAULTS,
  ...PRIMARY_FAULTS,
  ...SLOT_FAULTS,
  ...NETWORK_FAULTS,
  ...CLOCK_FAULTS,
];

function named(kind: string): Fault {
  const found = SINGLE.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`there is no fault ${kind}`);
  return found;
}

/** Pairs whose parts do not hinder each other's healing. */
export const PAIRS: readonly Fault[] = [
  ['stop-redis', 'kill-instance'],
  ['kill-redis', 'stop-instance'],
  ['kill-redis', 'kill-worker'],
  ['out-of-memory', 'kill-worker'],
  ['client-kill', 'stop-instance'],
  ['clock-backward', 'kill-instance'],
  ['kill-primary', 'kill-instance'],
  ['failover-planned', 'kill-worker'],
  ['stop-primary', 'stop-instance'],
  ['reshard', 'kill-instance'],
  ['partition-instances', 'kill-instance'],
  ['partition-primary', 'stop-worker'],
  ['kill-redis', 'kill-postgres'],
  ['stop-postgres', 'kill-instance'],
].map(([first = '', second = '']) => both(named(first), named(second)));

/** All faults of the campaign. */

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
