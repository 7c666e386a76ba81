/**
 * Cost by the number of a tenant's definitions: of an unregistered name, of a registered pool, and of a leaf below two
 * ancestors. Each size has a tenant of its own, so that all can be measured in turn.
 */
import type { Definition } from '../../src/contract/definitions.ts';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import { openStreams } from '../openStreams.ts';
import { cycle, freshName } from '../requests.ts';
import { headOf, type Stage } from '../stage.ts';
import { type Cost, costOf, costPanels, measureAll, type Sized, sized, type Work } from './cost.ts';
import { actingFor, settle } from './settle.ts';
import type { Findings } from './verdict.ts';

const SIZES = [0, 10, 100, 1000, 10_000, 100_000];
/** The capacity of each pool, so that every connection finds a slot. */
const CAPACITY = 100;
const CAPACITY_ABOVE = 1000;
const BATCH = 250;

/** A prime step width, which reaches every definition. */
const STRIDE = 7919;

interface Kind {
  readonly name: string;
  readonly registrations: (n: number) => Definition[];
  /** The reserved name. */
  readonly pick: (n: number) => () => string;
}

const KINDS: readonly Kind[] = [
  { name: 'a name that is not registered', registrations: poolsOf, pick: () => freshName },
  { name: 'a pool', registrations: poolsOf, pick: (n) => everyOf('pool', n) },
  { name: 'a leaf, with the two pools above it', registrations: treeOf, pick: (n) => everyOf('leaf', leavesOf(n)) },
];

/** Measures by the number of definitions. */
export async function definitions(stage: Stage): Promise<Findings> {
  const costs: Sized<Cost>[] = [];
  for (const [i, { name, registrations, pick }] of KINDS.entries())
    for (const n of SIZES) {
      if (n === 0 && i > 0) continue;
      const [tenant] = await settle(stage, [`defined-${i}-${n}`]);
      if (tenant === undefined) throw new Error('no tenant');
      const { engine, credential } = actingFor(stage, tenant);
      const all = registrations(n);
      for (let from = 0; from < n; from += BATCH)
        await register(engine, credential, all.slice(from, from + BATCH), NOW);
      await openStreams(stage.service.port, tenant.key, 1);
      const next = pick(n);
      const work: Work = (one, number) => cycle(one, 1, { name: next, requester: `r${number}` });
      costs.push(sized(name, n, () => costOf(stage, work, { head: headOf(tenant) })));
    }
  await measureAll(costs);
  return {
    chart: {
      name: 'definitions',
      title: 'Reserve and release, by definitions that the tenant has registered',
      of: 'definitions',
      panels: costPanels(costs),
    },
    facts: [],
  };
}

function poolsOf(n: number): Definition[] {
  return Array.from({ length: n }, (_, i) => ({ name: `pool${i}`, capacity: CAPACITY, blocks: [], treePath: null }));
}

/** Of n definitions, a tenth are branches and a hundredth are roots, at least one. */
const branchesOf = (n: number) => Math.ceil(n / 10);
const rootsOf = (n: number) => Math.ceil(n / 100);
const leavesOf = (n: number) => n - branchesOf(n) - rootsOf(n);

function treeOf(n: number): Definition[] {
  const [roots, branches] = [rootsOf(n), branchesOf(n)];
  const above = { capacity: CAPACITY_ABOVE, blocks: [] };
  const root = (i: number) => `root${i % roots}`;
  const branch = (i: number) => `branch${i % branches}`;
  return [
    ...Array.from({ length: roots }, (_, i) => ({ ...above, name: root(i), treePath: null })),
    ...Array.from({ length: branches }, (_, i) => ({ ...above, name: branch(i), treePath: root(i) })),
    ...Array.from({ length: leavesOf(n) }, (_, i) => ({
      name: `leaf${i}`,
      capacity: CAPACITY,
      blocks: [],
      treePath: `${root(i % branches)}>${branch(i)}`,
    })),
  ];
}

/** Returns the names in turn, with distance between neighbours. */
function everyOf(name: string, count: number): () => string {
  let at = 0;
  return () => {
    at = (at + STRIDE) % count;
    return `${name}${at}`;
  };
}
