/**
 * Reads what the Board needs of all resources of a tenant: which there are, in which groups, and who holds them. The
 * state of the rows of a page is read anew for each page; a large tenant's resources are read once in a while, since
 * that takes about 10 ms of CPU for each thousand.
 */
import { PATH_DELIMITER } from '../../domain/names.ts';
import type { Credential } from '../../domain/tenants.ts';
import { type TreeRow, tree } from '../../engine/definitions/list.ts';
import type { Engine } from '../../engine/engine.ts';
import { active, type UnregisteredPage, unregistered } from '../../engine/reservations/active.ts';

import { groupBy } from './groupBy.ts';

/** Maximum number of resources, and of reservations, that are read. */
const MAX_LOOKED_AT = 20_000;
/** Held names that one call looks at. */
const CALL = 400;
/** A tenant with more resources or reservations is not read for each page. */
const SMALL = 800;
/** How much longer than reading it took it is used, and the most, in ms. */
const KEPT_SHARE = 20;
const MAX_KEPT_MS = 10_000;
/** The share of that time after which the next page has it read again. */
const RENEWED_AT = 0.7;
/** Large tenants that are kept. */
const MAX_KEPT = 20;

/** A reservation. */
export interface HeldFact {
  /** The resource; the pool of a slot. */
  readonly name: string;
  readonly requester: string;
  readonly note: string;
  readonly sinceMs: number;
  /** null: no end, or that of a session */
  readonly untilMs: number | null;
  readonly hasSession: boolean;
}

export interface LabNode extends TreeRow {
  /** The path of the nearest group above it; '' none */
  readonly group: string;
  /** How far it stands below the group, from 0. */
  readonly level: number;
  /** True if an ancestor of it has no free slot. */
  readonly isShut: boolean;
}

/** A resource that is listed because it is held. */
export interface Lab {
  /** Registered resources that can be reserved: those of each group together, and those of no group last. */
  readonly nodes: readonly LabNode[];
  /** Names that are held without being registered, sorted. */
  readonly unregistered: readonly string[];
  /** Resource → its reservations. */
  readonly held: ReadonlyMap<string, readonly HeldFact[]>;
  /** Label key → value → number of resources, without keys that name single resources. */
  readonly labels: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** True if something can be booked. */
  readonly isBookable: boolean;
  /** True if there are more than were read. */
  readonly isPartial: boolean;
  /** True if each page reads it anew. */
  readonly isFresh: boolean;
}

interface Kept {
  readonly lab: Promise<Lab>;
  /** From when on it is read again while pages still get this one. */
  renewMs: number;
  untilMs: number;
  isRenewing: boolean;
}

const kept = new Map<string, Kept>();

/** @throws HoldfastError unauthenticated, forbidden, unavailable */
export async function readLab(engine: Engine, credential: Credential): Promise<Lab> {
  const { tenant } = credential;
  const known = kept.get(tenant);
  const start = performance.now();
  if (known !== undefined && (known.isRenewing || start < known.untilMs)) {
    if (!known.isRenewing && start >= known.renewMs) void readAhead(engine, credential, known);
    return known.lab;
  }
  const one = newKept(read(engine, credential));
  // Pages that are asked for meanwhile get the same.
  keep(tenant, one);
  try {
    await settle(tenant, one, start);
  } catch (error) {
    if (kept.get(tenant) === one) kept.delete(tenant);
    throw error;
  }
  return one.lab;
}

/** Reads it again, so that no page of those that follow each other waits for that. */
async function readAhead(engine: Engine, credential: Credential, known: Kept): Promise<void> {
  known.isRenewing = true;
  const start = performance.now();
  const one = newKept(read(engine, credential));
  // If it fails, the page that needs it tells.
  const isRead = await one.lab.then(
    () => true,
    () => false,
  );
  known.isRenewing = false;
  if (!isRead) return;
  keep(credential.tenant, one);
  await settle(credential.tenant, one, start);
}

const newKept = (lab: Promise<Lab>): Kept => ({
  lab,
  renewMs: Number.POSITIVE_INFINITY,
  untilMs: Number.POSITIVE_INFINITY,
  isRenewing: false,
});

function keep(tenant: string, one: Kept): void {
  kept.delete(tenant);
  kept.set(tenant, one);
  for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest);
}

/** Says until when what was read is used. @param start when reading it began */
async function settle(tenant: string, one: Kept, start: number): Promise<void> {
  const { isFresh } = await one.lab;
  const now = performance.now();
  if (isFresh && kept.get(tenant) === one) kept.delete(tenant);
  const keptMs = Math.min(MAX_KEPT_MS, KEPT_SHARE * (now - start));
  one.renewMs = now + RENEWED_AT * keptMs;
  one.untilMs = now + keptMs;
}

async function read(engine: Engine, credential: Credential): Promise<Lab> {
  const [nodes, holds, others] = await Promise.all([
    readNodes(engine, credential),
    readHeld(engine, credential),
    readUnregistered(engine, credential),
  ]);
  const names = new Set(nodes.all.map(({ name }) => name));
  const facts = holds.all.map((one) => ({ ...one, name: nameIn(names, one.name) }));
  const held = groupBy(facts, ({ name }) => name);
  return {
    nodes: inGroups(nodes.all),
    unregistered: others.all.sort(),
    held,
    labels: labelsOf(nodes.all),
    isBookable: nodes.all.some((node) => node.isBookable),
    isPartial: nodes.isPartial || holds.isPartial || others.isPartial,
    isFresh: nodes.all.length + holds.all.length <= SMALL,
  };
}

/** The registered name that a reserved name stands for: itself, the end of a path, or the pool of a slot. */
export function nameIn(names: ReadonlySet<string>, reserved: string): string {
  const last = reserved.slice(reserved.lastIndexOf(PATH_DELIMITER) + 1);
  const pool = last.replace(/_\d+$/, '');
  return !names.has(last) && names.has(pool) ? pool : last;
}

async function readNodes(engine: Engine, credential: Credential) {
  const all: LabNode[] = [];
  const path: { name: string; isGroup: boolean; isFull: boolean }[] = [];
  for await (const page of tree(engine, credential)) {
    if (all.length >= MAX_LOOKED_AT) return { all, isPartial: true };
    for (const row of page.rows) {
      path.length = row.depth;
      const at = path.findLastIndex(({ isGroup }) => isGroup);
      all.push({
        ...row,
        group: path
          .slice(0, at + 1)
          .map(({ name }) => name)
          .join(PATH_DELIMITER),
        level: row.depth - at - 1,
        isShut: path.some(({ isFull }) => isFull),
      });
      path.push({ name: row.name, isGroup: row.capacity === null, isFull: row.available === 0 });
    }
  }
  return { all, isPartial: false };
}

async function readHeld(engine: Engine, credential: Credential) {
  const all: HeldFact[] = [];
  for await (const page of active(engine, credential)) {
    if (all.length >= MAX_LOOKED_AT) return { all, isPartial: true };
    for (const { resource, requester, note = '', reservedAt, expiresAt, session } of page.rows) {
      const hasSession = session !== undefined;
      all.push({
        name: resource,
        requester,
        note,
        sinceMs: Date.parse(reservedAt),
        untilMs: hasSession || expiresAt === null ? null : Date.parse(expiresAt),
        hasSession,
      });
    }
  }
  return { all, isPartial: false };
}

/** The names that are held without being registered, also as blockers of others. */
async function readUnregistered(engine: Engine, credential: Credential) {
  const all = new Set<string>();
  let cursor: string | null = '0';
  for (let calls = 0; cursor !== null; calls++) {
    if (calls >= MAX_LOOKED_AT / CALL) return { all: [...all], isPartial: true };
    const page: UnregisteredPage = await unregistered(engine, credential, cursor);
    for (const name of page.names) all.add(name);
    cursor = page.next;
  }
  return { all: [...all], isPartial: false };
}

/** The nodes of each group together, in the order of the tree, and then those of no group. Groups are no nodes. */
function inGroups(all: readonly LabNode[]): LabNode[] {
  const groups = groupBy(
    all.filter(({ capacity }) => capacity !== null),
    ({ group }) => group,
  );
  const rest = groups.get('') ?? [];
  groups.delete('');
  return [...[...groups.values()].flat(), ...rest];
}

/** A key with more values than these names single resources, as a serial number does. */
const MAX_VALUES = 12;

function labelsOf(all: readonly LabNode[]): Map<string, Map<string, number>> {
  const keys = new Map<string, Map<string, number>>();
  for (const { labels } of all)
    for (const [key, value] of Object.entries(labels)) {
      const values = keys.get(key) ?? new Map<string, number>();
      keys.set(key, values);
      if (values.size <= MAX_VALUES) values.set(value, (values.get(value) ?? 0) + 1);
    }
  for (const [key, values] of keys) if (values.size > MAX_VALUES) keys.delete(key);
  const sizeOf = (values: ReadonlyMap<string, number>) => [...values.values()].reduce((sum, one) => sum + one, 0);
  return new Map([...keys].sort(([, one], [, other]) => sizeOf(other) - sizeOf(one)));
}
