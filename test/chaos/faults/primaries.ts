/** Faults after which another Redis becomes the primary. */
import { until } from '../../support/until.ts';
import type { Random } from '../random.ts';
import { now } from '../random.ts';
import type { Part, System, Tenant } from '../system.ts';
import {
  addressesOf,
  during,
  fault,
  isReplicated,
  killFor,
  losesByReplication,
  partsOf,
  REPLICATION_LAG_MS,
  SERVED_WITHIN,
  seconds,
  stopFor,
} from './make.ts';
import { ask, replaced, replicasOf, SENTINEL_NAME, whole } from './nodes.ts';

/** A tenant, `main` in half of the cases, and the Redis that is its primary. */
async function someOwner(system: System, random: Random): Promise<{ tenant: Tenant; primary: Part }> {
  const main = system.tenants.find(({ use }) => use === 'main');
  const tenant = main !== undefined && random.chance(0.5) ? main : random.pick(system.tenants);
  return { tenant, primary: await system.primaryOf(tenant.tenant) };
}

/** Without WAIT the next primary serves alone. With it, writes are confirmed once all replicas follow. */
const servedOnceReplaced = (system: System, brokenAt: number) =>
  system.traits.waitReplicas === 0 ? { servedFromAt: brokenAt, servedWithinMs: SERVED_WITHIN.replaced } : {};

/** It is dead until another has replaced it: without persistence its replicas would copy its empty state. */
const killPrimary = fault('kill-primary', isReplicated, async (system, random) => {
  const { tenant, primary } = await someOwner(system, random);
  const brokenAt = now();
  await primary.signal('SIGKILL');
  const replacedAt = await replaced(system, tenant.tenant, primary);
  await during(random.between(0, 3000), () => primary.restart());
  await whole(system);
  return {
    targets: [primary],
    loses: losesByReplication(system.traits, REPLICATION_LAG_MS),
    ...servedOnceReplaced(system, brokenAt),
    detail: `killed the primary ${primary.name}, replaced after ${seconds(replacedAt - brokenAt)}`,
  };
});

/** Short stops end before it is replaced. After long ones it wakes up, and does not know that it is no primary. */
const stopPrimary = fault('stop-primary', isReplicated, async (system, random) => {
  const { primary } = await someOwner(system, random);
  const [brokenAt, ms] = [now(), random.chance(0.3) ? random.between(1000, 3000) : random.between(3000, 20_000)];
  await stopFor([primary], ms);
  await whole(system);
  const isReplaced = ms > SERVED_WITHIN.replaced;
  return {
    targets: [primary],
    loses: losesByReplication(system.traits, REPLICATION_LAG_MS),
    ...(isReplaced ? servedOnceReplaced(system, brokenAt) : {}),
    detail: `stopped the primary ${primary.name} for ${seconds(ms)}`,
  };
});

export const FAILOVER_PLANNED = 'failover-planned';

const failoverPlanned = fault(FAILOVER_PLANNED, isReplicated, async (system, random) => {
  const { tenant, primary } = await someOwner(system, random);
  const servedFromAt = now();
  if (system.traits.topology === 'sentinel') {
    await failOverSentinels(system, random);
    await replaced(system, tenant.tenant, primary);
    await whole(system);
    return {
      targets: [primary],
      loses: losesByReplication(system.traits, REPLICATION_LAG_MS),
      servedFromAt,
      servedWithinMs: SERVED_WITHIN.sentinelFailover,
      detail: `SENTINEL FAILOVER of ${primary.name}`,
    };
  }
  const replica = await replicaOf(system, primary);
  await ask(system, replica, 'CLUSTER', 'FAILOVER');
  await replaced(system, tenant.tenant, primary);
  await whole(system);
  return {
    targets: [primary, replica],
    servedWithinMs: SERVED_WITHIN.clusterFailover,
    detail: `CLUSTER FAILOVER of ${primary.name} to ${replica.name}`,
  };
});

/** A sentinel refuses while the failover before is too recent. */
async function failOverSentinels(system: System, random: Random): Promise<void> {
  const sentinels = system.parts.filter(({ kind }) => kind === 'sentinel');
  await until('a sentinel begins a failover', () =>
    ask(system, random.pick(sentinels), 'SENTINEL', 'FAILOVER', SENTINEL_NAME).then(
      () => true,
      () => false,
    ),
  );
}

/** The replica of a primary of a cluster. */
async function replicaOf(system: System, primary: Part): Promise<Part> {
  const id = String(await ask(system, primary, 'CLUSTER', 'MYID'));
  const told = await ask(system, primary, 'CLUSTER', 'REPLICAS', id);
  const [line] = Array.isArray(told) ? told.map(String) : [];
  for (const replica of await replicasOf(system)) {
    if (line?.startsWith(String(await ask(system, replica, 'CLUSTER', 'MYID')))) return replica;
  }
  throw new Error(`${primary.name} has no replica`);
}

export const PRIMARY_FAULTS = [killPrimary, stopPrimary, failoverPlanned];

/** Faults of replicas and of sentinels, which callers hardly notice unless writes wait for replicas. */

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
