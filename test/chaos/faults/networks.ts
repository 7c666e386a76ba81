/** Networks that drop packets between Redis nodes, sentinels and instances. */

import type { Random } from '../random.ts';
import { now } from '../random.ts';
import type { Part, System, Traits } from '../system.ts';
import {
  addressesOf,
  during,
  fault,
  isReplicated,
  losesByReplication,
  partsOf,
  REPLICATION_LAG_MS,
  SERVED_WITHIN,
  seconds,
} from './make.ts';
import { replicasOf, somePrimary, whole } from './nodes.ts';

type Direction = 'both ways' | 'only there' | 'only back';

/** Cuts two groups of parts off from each other for a while, and waits until the topology is whole again. */
async function cutFor(
  system: System,
  some: readonly Part[],
  others: readonly Part[],
  ms: number,
  direction: Direction = 'both ways',
): Promise<void> {
  const healings: (() => Promise<void>)[] = [];
  const heal = () => Promise.all(healings.map((one) => one()));
  try {
    if (direction !== 'only back') healings.push(await system.cut(some, others));
    if (direction !== 'only there') healings.push(await system.cut(others, some));
  } catch (error) {
    await heal();
    throw error;
  }
  await during(ms, heal);
  await whole(system);
}

const callersOf = (system: System): readonly Part[] => [...partsOf(system, 'instance'), ...partsOf(system, 'worker')];

/** The parts of Redis besides one. */
const peersOf = (system: System, part: Part): readonly Part[] =>
  [...partsOf(system, 'redis'), ...partsOf(system, 'sentinel')].filter((other) => other !== part);

const canCutPeers = (traits: Traits) => traits.canPartition && isReplicated(traits);

/** From whom a primary is cut off. */
const CIRCLES = {
  everybody: (system: System, primary: Part) => [...callersOf(system), ...peersOf(system, primary)],
  'its peers': peersOf,
  'the instances': callersOf,
} as const;

const partitionPrimary = fault('partition-primary', canCutPeers, async (system, random) => {
  const primary = await somePrimary(system, random);
  const circle = random.pick(['everybody', 'its peers', 'the instances'] as const);
  const direction = random.pick(['both ways', 'both ways', 'only there', 'only back'] as const);
  const ms = random.between(1000, 12_000);
  await cutFor(system, [primary], CIRCLES[circle](system, primary), ms, direction);
  return {
    targets: [primary],
    // Its peers replace it: what it went on to confirm alone is undone.
    loses: losesByReplication(system.traits, REPLICATION_LAG_MS),
    detail: `${primary.name} cut off from ${circle}, ${direction}, for ${seconds(ms)}`,
  };
});

const partitionReplica = fault('partition-replica', canCutPeers, async (system, random) => {
  const [replica, ms] = [random.pick(await replicasOf(system)), random.between(1000, 12_000)];
  await cutFor(system, [replica], CIRCLES.everybody(system, replica), ms);
  return {
    targets: [replica],
    ...(system.traits.waitReplicas === 0
      ? { sparedAddresses: addressesOf(system) }
      : // Writes wait for it. TCP may take as long as it was cut off to try it again.
        { servedWithinMs: SERVED_WITHIN.again + ms }),
    detail: `${replica.name} cut off from everybody for ${seconds(ms)}`,
  };
});

/** No instance and no worker reaches any Redis or sentinel. These reach each other, and replace nobody. */
const partitionInstances = fault(
  'partition-instances',
  ({ canPartition }) => canPartition,
  async (system, random: Random) => {
    const targets = [...partsOf(system, 'redis'), ...partsOf(system, 'sentinel')];
    const [startedAt, ms] = [now(), random.between(500, 10_000)];
    const direction = random.pick(['both ways', 'both ways', 'only there', 'only back'] as const);
    await cutFor(system, targets, callersOf(system), ms, direction);
    const healing = seconds(now() - startedAt);
    return { targets, detail: `Redis cut off from instances, ${direction}, for ${seconds(ms)}; ${healing} in all` };
  },
);

export const NETWORK_FAULTS = [partitionPrimary, partitionReplica, partitionInstances];
