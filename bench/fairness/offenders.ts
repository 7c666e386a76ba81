/**
 * Tenants that ask for as much as they can: what each one sends, how often, and what it needs first. The rates are ten
 * times the limits of tier Enterprise, a minute's quota in six seconds; what takes longer than that goes as fast as
 * its connections allow.
 */
import type { Definition } from '../../src/contract/definitions.ts';
import type { Credential } from '../../src/domain/tenants.ts';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { reserve } from '../../src/engine/reservations/reserve.ts';

/** A request that an offender repeats. */
export interface OffendersRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string;
}

export interface Offender {
  readonly name: string;
  /** Requests that are due each second. */
  readonly perSecond: number;
  /** Requests in flight at most; further ones that are due are not sent. */
  readonly connections: number;
  /** Makes the nth request. */
  readonly request: (n: number) => OffendersRequest;
  /** Builds the state that the requests need. */
  readonly prepare?: (engine: Engine, credential: Credential) => Promise<void>;
  /** True if its quota of the minute is used up before it begins. */
  readonly isUsedUp?: boolean;
}

const { writesPerMinute, readsPerMinute } = DEFAULT_TIERS.Enterprise;
const TIMES = 10;
const WRITES = (TIMES * (writesPerMinute ?? 0)) / 60;
const READS = (TIMES * (readsPerMinute ?? 0)) / 60;
const BATCH = 500;
const HELD = 100_000;
const CONNECTIONS = 64;
/** As many leaves with the longest paths as fit into the work budget of a transaction. */
const LEAVES = 7;

const list = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
const post = (path: string, body: unknown): OffendersRequest => ({
  method: 'POST',
  path: `/api/v1/Reservation/${path}`,
  body: JSON.stringify(body),
});
const lease = (resource: string, requester: string) => ({ resource, requester, ttlSeconds: 3600 });
const definition = (name: string, more: Partial<Definition> = {}): Definition => ({
  name,
  capacity: 1,
  blocks: [],
  treePath: null,
  ...more,
});

async function registerAll(engine: Engine, credential: Credential, items: readonly Definition[]): Promise<void> {
  for (let i = 0; i < items.length; i += 20) await register(engine, credential, items.slice(i, i + 20), NOW);
}

/** A pool, each slot of which takes 448 blockers along: near the largest plan that there may be. */
const widePlans = (engine: Engine, credential: Credential) =>
  registerAll(engine, credential, [
    ...list(64, (i) => definition(`B${i}`, { blocks: list(6, (j) => `Z${i}-${j}`) })),
    definition('pool', { capacity: 100_000, blocks: list(64, (i) => `B${i}`) }),
  ]);

/** 64 leaves at depth 16 with long names. */
const deepTrees = (engine: Engine, credential: Credential) =>
  registerAll(
    engine,
    credential,
    list(64, (i) => definition(`deep${i}`, { treePath: list(16, (j) => `d${i % 4}-${j}`.padEnd(200, 'd')).join('>') })),
  );

/** Labelled resources that are all held: a search passes 500 of them and finds none. */
async function heldLabels(engine: Engine, credential: Credential): Promise<void> {
  const names = list(2000, (i) => `phone${i}`);
  const blocks = list(8, (i) => `charger${i}`);
  await registerAll(
    engine,
    credential,
    names.map((name) => definition(name, { labels: { os: 'android' }, blocks })),
  );
  await reserve(engine, credential, [{ resource: 'charger0', requester: 'holder' }]);
}

async function manyHeld(engine: Engine, credential: Credential): Promise<void> {
  for (let from = 0; from < HELD; from += BATCH)
    await reserve(
      engine,
      credential,
      list(BATCH, (i) => lease(`held-${from + i}`, 'holder')),
    );
}

const batch = (n: number) =>
  post(
    'reserve',
    list(BATCH, (i) => lease(`batch-${n}-${i}`, 'offender')),
  );
const transactionOf = (items: readonly object[]) =>
  post('transaction', { method: 'ALL_OR_NONE', requests: items.map((one) => ({ requestType: 'RESERVE', ...one })) });

export const OFFENDERS: readonly Offender[] = [
  {
    name: 'single reserves, over its limit',
    perSecond: WRITES,
    connections: CONNECTIONS,
    request: (n) => post('reserve', [lease(`single-${n}`, 'offender')]),
    isUsedUp: true,
  },
  { name: 'batches of 500, within its limit', perSecond: WRITES / BATCH, connections: CONNECTIONS, request: batch },
  {
    name: 'batches of 500, over its limit',
    perSecond: WRITES / BATCH,
    connections: CONNECTIONS,
    request: batch,
    isUsedUp: true,
  },
  { name: 'batches of 500, a minute of them at once', perSecond: 1e4, connections: CONNECTIONS, request: batch },
  {
    name: 'reserves of a pool with 448 blockers',
    perSecond: WRITES,
    connections: CONNECTIONS,
    request: (n) => post('reserve', [lease('pool', `offender-${n}`)]),
    prepare: widePlans,
  },
  {
    name: 'transactions for 7 leaves at depth 16',
    perSecond: WRITES / LEAVES,
    connections: CONNECTIONS,
    request: () => transactionOf(list(LEAVES, (i) => lease(`deep${i}`, 'offender'))),
    prepare: deepTrees,
  },
  {
    name: 'any of 2,000, none of which is free',
    perSecond: WRITES,
    connections: CONNECTIONS,
    request: (n) => post('reserve', [{ match: { os: 'android' }, requester: `offender-${n}`, ttlSeconds: 60 }]),
    prepare: heldLabels,
  },
  {
    name: 'checks of 500 leaves at depth 16',
    perSecond: READS / BATCH,
    connections: CONNECTIONS,
    request: () =>
      post(
        'check',
        list(BATCH, (i) => ({ resource: `deep${i % 64}` })),
      ),
    prepare: deepTrees,
  },
  {
    name: 'lists of 100,000 reservations',
    perSecond: 100,
    connections: 8,
    request: () => ({ method: 'GET', path: '/api/v1/Reservation/activeReservations', body: '' }),
    prepare: manyHeld,
  },
];
