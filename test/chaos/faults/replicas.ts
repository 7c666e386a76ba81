/** Faults of replicas and of sentinels, which callers hardly notice unless writes wait for replicas. */
import type { System } from '../system.ts';
import { addressesOf, fault, isReplicated, killFor, partsOf, seconds, stopFor } from './make.ts';
import { replicasOf, whole } from './nodes.ts';

const killReplica = fault('kill-replica', isReplicated, async (system, random) => {
  const [target, ms] = [random.pick(await replicasOf(system)), random.between(200, 3000)];
  await killFor([target], ms);
  await whole(system);
  const detail = `killed the replica ${target.name}, started again after ${seconds(ms)}`;
  return { targets: [target], ...sparedWithoutWait(system), detail };
});

const stopReplica = fault('stop-replica', isReplicated, async (system, random) => {
  const [target, ms] = [random.pick(await replicasOf(system)), random.between(1000, 20_000)];
  await stopFor([target], ms);
  await whole(system);
  const detail = `stopped the replica ${target.name} for ${seconds(ms)}`;
  return { targets: [target], ...sparedWithoutWait(system), detail };
});

/** Calls do not need replicas, unless writes wait for them. */
const sparedWithoutWait = (system: System) =>
  system.traits.waitReplicas === 0 ? { sparedAddresses: addressesOf(system) } : {};

/** One of three: the others can still replace a primary. */
const killSentinel = fault(
  'kill-sentinel',
  ({ topology }) => topology === 'sentinel',
  async (system, random) => {
    const [target, ms] = [random.pick(partsOf(system, 'sentinel')), random.between(200, 5000)];
    await killFor([target], ms);
    await whole(system);
    const detail = `killed ${target.name}, started again after ${seconds(ms)}`;
    return { targets: [target], sparedAddresses: addressesOf(system), detail };
  },
);

const stopSentinel = fault(
  'stop-sentinel',
  ({ topology }) => topology === 'sentinel',
  async (system, random) => {
    const [target, ms] = [random.pick(partsOf(system, 'sentinel')), random.between(1000, 20_000)];
    await stopFor([target], ms);
    await whole(system);
    const detail = `stopped ${target.name} for ${seconds(ms)}`;
    return { targets: [target], sparedAddresses: addressesOf(system), detail };
  },
);

export const REPLICA_FAULTS = [killReplica, stopReplica, killSentinel, stopSentinel];
