/** Starts a whole service for a campaign, and stops it. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tier } from '../../../src/domain/tiers.ts';
import { digestOf, makeKey, Sealer } from '../../../src/identity/credentials.ts';
import { Database } from '../../../src/store/database.ts';
import { insertTenant } from '../../../src/store/tenants.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { until } from '../../support/until.ts';
import type { Random } from '../random.ts';
import {
  ADMINISTRATOR,
  type Part,
  type Program,
  type Setup,
  type System,
  type Tenant,
  type Traits,
} from '../system.ts';
import { QUOTA } from '../things.ts';
import { cutOff, type Host, makeNetwork, type Network } from './network.ts';
import { makeClocks, type StoppablePart, startCleanup } from './part.ts';
import { commandAt, type Ground, type Store, startCluster, startOne, startSentinels } from './redis.ts';
import { SOURCE, startBalancerPart, startDatabase, startInstances } from './service.ts';

const KEY_SECRET = 'the secret of the campaign, of 32 characters or more';
const START_STORE = { one: startOne, sentinel: startSentinels, cluster: startCluster };
/** Number of Redis processes and sentinels. */
const HOSTS = { one: 1, sentinel: 6, cluster: 6 };
const THIS_MACHINE: Host = { address: '127.0.0.1', namespace: null, device: 'lo' };

/** The choices of a setup. The rest depends on the machine. */
export type Wanted = Omit<Traits, 'canPartition' | 'canStepClock' | 'hasOtherProgram'>;

/** Starts a service. Resolves when all instances are ready and the balancer knows them. */
export async function startSystem(
  wanted: Wanted,
  random: Random,
  program: Program = SOURCE,
  other?: Program,
): Promise<System> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-chaos-'));
  const network = makeNetwork(HOSTS[wanted.topology]);
  const cleanUp = startCleanup(folder, network?.removal);
  const ground: Ground = {
    folder,
    clocks: makeClocks(folder),
    hostOf: (i) => network?.hosts[i] ?? THIS_MACHINE,
  };
  const traits = {
    ...wanted,
    canPartition: network !== null,
    canStepClock: ground.clocks !== null,
    hasOtherProgram: other !== undefined,
  };
  const started: StoppablePart[] = [];
  const stop = async () => {
    await Promise.all(started.map((part) => part.stop()));
    await cleanUp();
  };
  try {
    const [store, database] = await Promise.all([
      START_STORE[wanted.topology](ground, traits),
      wanted.hasDatabase ? startDatabase() : null,
    ]);
    started.push(...store.parts, ...(database === null ? [] : [database.part]));
    const tenants = makeTenants(random, wanted.hasDatabase);
    if (database !== null) await storeTenants(tenants, database.url, KEY_SECRET);
    const env = {
      ...environmentOf(traits, store),
      ...(database === null
        ? { API_KEYS: apiKeysOf(tenants) }
        : { DATABASE_URL: database.url, KEY_SECRET, ADMINS: ADMINISTRATOR }),
    };
    const instances = await startInstances(folder, env, program);
    started.push(...instances);
    const balancer = await startBalancerPart(folder, instances);
    started.push(balancer);
    const addresses = [balancer, ...instances.filter(({ kind }) => kind === 'instance')].map(
      ({ name, host, port }) => ({ name, url: `http://${host}:${port}` }),
    );
    await Promise.all(addresses.map(({ url }) => untilReady(url)));
    return {
      parts: started,
      addresses,
      tenants,
      traits,
      primaryOf: store.primaryOf,
      command: commandAt,
      redisUrl: store.url,
      programs: other === undefined ? [program] : [program, other],
      cut: async (from, to) => cut(network, from, to),
      setClock: async ({ name }, aheadMs) => {
        if (ground.clocks === null) throw new Error('clocks cannot be moved on this machine');
        ground.clocks.set(name, aheadMs);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const environmentOf = ({ waitReplicas }: Traits, { url }: Store) => ({
  REDIS_URL: url,
  REDIS_WAIT_REPLICAS: String(waitReplicas),
  TIERS: JSON.stringify(SMALL_LIMITS),
  TRUSTED_PROXIES: '1',
  // Callers whose key was rotated come from the same address as all others.
  MAX_FAILED_AUTHENTICATIONS: '1000000',
  DRAIN_DELAY_SECONDS: '1',
  LOG_LEVEL: 'warn',
});

const untilReady = (url: string) =>
  until(
    'the instance is ready',
    () =>
      fetch(`${url}/readyz`).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status === 200;
        },
        () => false,
      ),
    60_000,
  );

function cut(network: Network | null, from: readonly Part[], to: readonly Part[]): () => Promise<void> {
  if (network === null) throw new Error('there is no network that can be cut on this machine');
  const hostsOf = (parts: readonly Part[]) => [
    ...new Set(parts.map((part) => network.hosts.find(({ address }) => address === part.host) ?? network.outside)),
  ];
  const heals = hostsOf(from).flatMap((one) =>
    hostsOf(to)
      .filter((other) => other !== one)
      .map((other) => cutOff(one, other)),
  );
  return async () => {
    for (const heal of heals) heal();
  };
}

/** The setups that a campaign runs on. */

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
  'database-sentinel': { ...SENTINEL, persistence: 'everysec', hasDatabase: true },
};

export const SETUPS: readonly Setup[] = Object.entries(WANTED).map(([name, wanted]) => ({
  name,
  start: (random, program, other) => startSystem(wanted, random, program, other),
}));

/** The tenants of a campaign: in API_KEYS, or in the database. */

const TIER_OF: Readonly<Record<Tenant['use'], Tier>> = {
  main: 'Enterprise',
  quota: 'Starter',
  leases: 'Enterprise',
  booked: 'Enterprise',
  'booked-idle': 'Enterprise',
  turned: 'Enterprise',
};

/** For TIERS: what the callers of the tenant `quota` exceed. */
export const SMALL_LIMITS = { Starter: QUOTA };

/** Makes up tenants. Their ids come again with the seed, and so do their slots in a cluster. */
export function makeTenants(random: Random, hasDatabase: boolean): readonly Tenant[] {
  const uses: readonly Tenant['use'][] = [
    'main',
    'quota',
    'leases',
    'booked',
    ...(hasDatabase ? (['booked-idle', 'turned'] as const) : []),
  ];
  return uses.map((use) => {
    const tenant = `${use}-${random.between(0, 1e9).toString(36)}`;
    return { use, tenant, key: makeKey(tenant) };
  });
}

/** The value of API_KEYS. */
export const apiKeysOf = (tenants: readonly Tenant[]): string =>
  JSON.stringify(tenants.map(({ use, tenant, key }) => ({ key, tenant, tier: TIER_OF[use] })));

/** Stores them in the database, and brings its schema up to date. */
export async function storeTenants(tenants: readonly Tenant[], url: string, keySecret: string): Promise<void> {
  const database = await Database.open(url, 1, createLogger('silent'));
  const sealer = new Sealer(keySecret);
  try {
    for (const { use, tenant, key } of tenants) {
      const row = { digest: digestOf(key), sealed: await sealer.seal(key), label: null };
      await database.transaction((tx) =>
        insertTenant(
          tx,
          { id: tenant, name: `Tenant ${tenant}`, tier: TIER_OF[use], key: row },
          { actor: 'person:the campaign', address: null },
        ),
      );
    }
  } finally {
    await database.close();
  }
}
