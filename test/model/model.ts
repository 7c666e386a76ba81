/**
 * What Holdfast must do, written from docs/specification.md, with no thought of speed: the reference that
 * histories are compared with. Everything is kept as sets of things, nothing is counted.
 */

import type { Definition, TreeNode } from '../../src/contract/definitions.ts';
import type {
  CheckItem,
  CheckResult,
  RenewItem,
  RenewResult,
  ReserveItem,
  ReserveResult,
  TransactionItem,
  TransactionResult,
  UnreserveItem,
  UnreserveResult,
} from '../../src/contract/reservations.ts';
import type { TransactionMethod } from '../../src/domain/reservations.ts';

/** A registration, with its ancestors from the root down. */
export interface Registration {
  name: string;
  capacity: number;
  blocks: readonly string[];
  treePath: readonly string[];
}

export const toDefinition = ({ blocks, treePath, ...item }: Registration): Definition => ({
  ...item,
  blocks: [...blocks],
  treePath: treePath.join('>') || null,
});

export interface Registered {
  capacity: number;
  blocks: string[];
  parent: string | null;
}

/** A slot that is taken. It is there as long as a reservation needs it. */
export interface Hold {
  slot: string;
  owner: string;
  /** The resource whose slot it was when it was taken. */
  of: string;
  /** It was asked for by its own name, so it is not the slot that its owner was assigned. */
  byName: boolean;
}

export interface Reservation {
  asked: string;
  requester: string;
  token: string | null;
  fence: number;
  reservedAt: number;
  expiresAt: number | null;
  own: Hold;
  /** In plan order. */
  others: Hold[];
  shown: {
    acquiredSlots: Record<string, string> | null;
    acquiredBlockers: string[] | null;
    reservedAtPath: string | null;
  };
}

type Entry = { resource: string; slot?: string; owner: string; role: 'own' | 'ancestor' | 'blocker'; valid: boolean };

const SUCCESS = ['ACQUIRED', 'ALREADY_HAD', 'RELINQUISHED', 'NOT_RESERVED'];
const MAX_DEPTH = 16;
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
const byCodePoint = (a: string, b: string) => (Buffer.from(a) < Buffer.from(b) ? -1 : 1);

/** `base_i`, as a pool names its slots: [base, i]. */
export function slotName(name: string): [string, number] | null {
  const [, base, index] = /^(.+)_(0|[1-9]\d*)$/s.exec(name) ?? [];
  return base === undefined || index === undefined ? null : [base, Number(index)];
}

export class Model {
  definitions = new Map<string, Registered>();
  reservations: Reservation[] = [];
  requireRegistration = false;
  fence = 0;
  nowMs = 0;

  /** A copy that shares nothing, for trying. */
  clone(): Model {
    const copy = new Model();
    return Object.assign(copy, structuredClone({ ...this }));
  }

  // --- What there is

  get holds(): Hold[] {
    return [...new Set(this.reservations.flatMap(({ own, others }) => [own, ...others]))];
  }

  holdAt(slot: string): Hold | undefined {
    return this.holds.find((hold) => hold.slot === slot);
  }

  tokenAt(slot: string, requester: string): Reservation | undefined {
    return this.reservations.find(({ own, requester: owner }) => own.slot === slot && owner === requester);
  }

  capacityOf(resource: string): number {
    return this.definitions.get(resource)?.capacity ?? 1;
  }

  heldOf(resource: string): Hold[] {
    return this.holds.filter(({ of, slot }) => of === resource || slot === resource);
  }

  /** The slot of a resource that an owner was assigned. */
  assigned(resource: string, owner: string): Hold | undefined {
    const mine = this.heldOf(resource).filter((hold) => hold.owner === owner);
    return (
      mine.find(({ of, slot, byName }) => of === resource && slot !== resource && !byName) ??
      mine.find(({ slot }) => slot === resource)
    );
  }

  ancestorsOf(resource: string): string[] {
    const parent = this.definitions.get(resource)?.parent ?? null;
    return parent === null ? [] : [...this.ancestorsOf(parent), parent];
  }

  // --- Section 3

  meaning(name: string, setting = this.requireRegistration): { resource: string; slot?: string } | null {
    if (this.definitions.has(name)) return { resource: name };
    const [base, index] = slotName(name) ?? ['', 0];
    if (this.definitions.has(base) && this.capacityOf(base) > 1) {
      return index < this.capacityOf(base) ? { resource: base, slot: name } : null;
    }
    const last = name.includes('>') ? name.slice(name.lastIndexOf('>') + 1) : '';
    if (this.definitions.has(last)) {
      return [...this.ancestorsOf(last), last].join('>') === name ? { resource: last } : null;
    }
    return setting ? null : { resource: name };
  }

  whyNotValid(name: string): string {
    const [base, index] = slotName(name) ?? ['', 0];
    const capacity = this.capacityOf(base);
    const last = name.slice(name.lastIndexOf('>') + 1);
    if (this.definitions.has(base) && capacity > 1 && index >= capacity)
      return `NOT_VALID: ${base} has ${capacity} slots, ${base}_0 to ${base}_${capacity - 1}`;
    if (name.includes('>') && this.definitions.has(last))
      return `NOT_VALID: ${last} is registered as ${[...this.ancestorsOf(last), last].join('>')}`;
    return `NOT_VALID: ${name} is not registered, and this tenant allows only registered resources`;
  }

  // --- Section 4

  plan(
    resource: string,
    slot: string | undefined,
    owner: string,
    role: 'own' | 'blocker',
    plan: Entry[] = [],
  ): Entry[] {
    const chain: Entry[] = [
      ...this.ancestorsOf(resource).map(
        (name): Entry => ({ resource: name, owner, role: role === 'own' ? 'ancestor' : 'blocker', valid: true }),
      ),
      { resource, ...(slot === undefined ? {} : { slot }), owner, role, valid: true },
    ];
    const added: Entry[] = [];
    for (const entry of chain) {
      const same = (other: Entry) => other.resource === entry.resource && other.slot === entry.slot && other.valid;
      if (plan.some(same)) continue;
      plan.push(entry);
      added.push(entry);
    }
    for (const { resource: declarer } of added) {
      for (const blocker of this.definitions.get(declarer)?.blocks ?? []) {
        const meant = this.meaning(blocker, false);
        const system = `system:${declarer}`;
        if (meant === null) plan.push({ resource: blocker, owner: system, role: 'blocker', valid: false });
        else this.plan(meant.resource, meant.slot, system, 'blocker', plan);
      }
    }
    return plan;
  }

  /** The slot that meets an entry; null where none does. */
  meet({ resource, slot, owner, valid }: Entry, taken: Hold[]): Hold | null {
    if (!valid) return null;
    const holds = [...new Set([...this.holds, ...taken])];
    const held = holds.filter((hold) => hold.of === resource || hold.slot === resource);
    if (slot !== undefined) {
      const there = holds.find((hold) => hold.slot === slot);
      if (there !== undefined) return there.owner === owner ? there : null;
      return held.length < this.capacityOf(resource) ? { slot, owner, of: resource, byName: true } : null;
    }
    const mine = held.filter((hold) => hold.owner === owner);
    const assigned =
      mine.find((hold) => hold.of === resource && hold.slot !== resource && !hold.byName) ??
      mine.find((hold) => hold.slot === resource);
    if (assigned !== undefined) return assigned;
    if (held.length >= this.capacityOf(resource)) return null;
    if (this.capacityOf(resource) === 1) return { slot: resource, owner, of: resource, byName: false };
    for (let i = 0; ; i++) {
      const name = `${resource}_${i}`;
      if (!holds.some((hold) => hold.slot === name)) return { slot: name, owner, of: resource, byName: false };
    }
  }

  /** @param token what the reservation's token is to be, if one is made */
  reserve(item: ReserveItem, token: string | null): ReserveResult {
    const { resource: asked, requester, ttlSeconds } = item;
    const fail = (
      status: 'ALREADY_HELD' | 'NOT_AVAILABLE' | 'NOT_VALID',
      explanation: string = status,
    ): ReserveResult => ({
      resource: asked,
      requester,
      status,
      explanation,
      releaseToken: null,
      expiresAt: null,
      acquiredSlots: null,
      acquiredBlockers: null,
      reservedAtPath: null,
      fencingToken: null,
    });
    const meant = this.meaning(asked);
    if (meant === null) return fail('NOT_VALID', this.whyNotValid(asked));
    const { resource, slot } = meant;
    const had = this.tokenAt(slot ?? this.assigned(resource, requester)?.slot ?? resource, requester);
    if (had !== undefined) return this.tell(had, asked, 'ALREADY_HAD');

    const plan = this.plan(resource, slot, requester, 'own');
    const taken: { entry: Entry; hold: Hold }[] = [];
    for (const entry of plan) {
      const hold = this.meet(
        entry,
        taken.map((one) => one.hold),
      );
      if (hold !== null) {
        taken.push({ entry, hold: taken.find((one) => one.hold.slot === hold.slot)?.hold ?? hold });
        continue;
      }
      const name = entry.slot ?? entry.resource;
      if (entry.role === 'ancestor') return fail('NOT_AVAILABLE', `NOT_AVAILABLE: ancestor ${name} is at capacity`);
      if (entry.role === 'blocker') {
        return fail('NOT_AVAILABLE', `NOT_AVAILABLE: blocker ${name} is ${entry.valid ? 'held' : 'not valid'}`);
      }
      const verySlot = entry.slot !== undefined && this.holdAt(entry.slot) !== undefined;
      return fail(this.capacityOf(resource) === 1 || verySlot ? 'ALREADY_HELD' : 'NOT_AVAILABLE');
    }

    const own = taken.find(({ entry }) => entry.role === 'own')?.hold;
    if (own === undefined) throw new Error('a plan without its own resource');
    const others = [...new Set(taken.map(({ hold }) => hold))].filter((hold) => hold !== own);
    const pools = taken.filter(({ entry }) => entry.role !== 'blocker' && this.capacityOf(entry.resource) > 1);
    const blockers = [...new Set(taken.filter(({ entry }) => entry.role === 'blocker').map(({ hold }) => hold.slot))];
    const path = this.ancestorsOf(resource);
    this.fence = Math.max(this.fence + 1, this.nowMs * 1000);
    const reservation: Reservation = {
      asked,
      requester,
      token,
      fence: this.fence,
      reservedAt: this.nowMs,
      expiresAt: ttlSeconds === undefined ? null : this.nowMs + ttlSeconds * 1000,
      own,
      others,
      shown: {
        acquiredSlots:
          pools.length === 0 ? null : Object.fromEntries(pools.map(({ entry, hold }) => [entry.resource, hold.slot])),
        acquiredBlockers: blockers.length === 0 ? null : blockers,
        reservedAtPath: path.length === 0 ? null : [...path, resource].join('>'),
      },
    };
    this.reservations.push(reservation);
    return this.tell(reservation, asked, 'ACQUIRED');
  }

  tell(reservation: Reservation, resource: string, status: 'ACQUIRED' | 'ALREADY_HAD'): ReserveResult {
    const { requester, token, expiresAt, shown, fence } = reservation;
    return {
      resource,
      requester,
      status,
      explanation: status,
      releaseToken: token,
      expiresAt: iso(expiresAt),
      ...shown,
      fencingToken: fence,
    };
  }

  /** The reservation that a name and a requester stand for when it is released. */
  find(name: string, requester: string): Reservation | undefined {
    const literally = this.tokenAt(name, requester);
    if (literally !== undefined) return literally;
    const meant = this.meaning(name);
    if (meant === null) {
      return this.reservations.find((one) => one.asked === name && one.requester === requester && name.includes('>'));
    }
    const slot = meant.slot ?? this.assigned(meant.resource, requester)?.slot;
    return slot === undefined ? undefined : this.tokenAt(slot, requester);
  }

  /** Whether anybody holds a slot of what a name stands for. */
  isHeld(name: string): boolean {
    if (this.holdAt(name) !== undefined) return true;
    const meant = this.meaning(name);
    if (meant === null) return false;
    return meant.slot === undefined ? this.heldOf(meant.resource).length > 0 : this.holdAt(meant.slot) !== undefined;
  }

  /** Ends a reservation. Returns the slots that became free, its own first. */
  end(reservation: Reservation): string[] {
    this.reservations = this.reservations.filter((one) => one !== reservation);
    const still = this.holds;
    return [reservation.own, ...reservation.others].filter((hold) => !still.includes(hold)).map(({ slot }) => slot);
  }

  unreserve({ resource, requester, releaseToken }: UnreserveItem): UnreserveResult {
    const found = this.find(resource, requester);
    if (found === undefined) {
      const status = this.isHeld(resource) ? 'DOESNT_OWN_RESERVATION' : 'NOT_RESERVED';
      return { resource, requester, status, explanation: status, released: null };
    }
    if (found.token !== releaseToken) {
      const explanation = 'INVALID_RELEASE_TOKEN';
      return { resource, requester, status: 'DOESNT_OWN_RESERVATION', explanation, released: null };
    }
    const released = this.end(found);
    return { resource, requester, status: 'RELINQUISHED', explanation: 'RELINQUISHED', released };
  }

  // --- Section 6

  renew({ resource, requester, releaseToken, ttlSeconds }: RenewItem): RenewResult {
    const found = this.find(resource, requester);
    if (found === undefined) {
      const status = this.isHeld(resource) ? 'DOESNT_OWN_RESERVATION' : 'NOT_RESERVED';
      return { resource, requester, status, explanation: status, expiresAt: null };
    }
    if (found.token !== releaseToken) {
      const explanation = 'INVALID_RELEASE_TOKEN';
      return { resource, requester, status: 'DOESNT_OWN_RESERVATION', explanation, expiresAt: null };
    }
    found.expiresAt = this.nowMs + ttlSeconds * 1000;
    return { resource, requester, status: 'RENEWED', explanation: 'RENEWED', expiresAt: iso(found.expiresAt) };
  }

  /** @param tokens for each item, as reserve() takes it */
  transaction(
    method: TransactionMethod,
    items: readonly TransactionItem[],
    tokens: readonly (string | null)[],
  ): TransactionResult {
    const before = this.clone();
    const results: TransactionResult['results'] = [];
    const succeeded = () => results.filter(({ status }) => SUCCESS.includes(status)).length;
    const undone = (item: TransactionItem, explanation: string): TransactionResult['results'][number] => {
      const { resource, requester } = item;
      const common = { resource, requester, status: 'NOT_AVAILABLE' as const, explanation };
      if (item.requestType === 'UNRESERVE') return { ...common, released: null };
      const nothing = { acquiredSlots: null, acquiredBlockers: null, reservedAtPath: null, fencingToken: null };
      return { ...common, releaseToken: null, expiresAt: null, ...nothing };
    };
    for (const [i, item] of items.entries()) {
      if (method === 'FIRST' && succeeded() > 0) results.push(undone(item, 'SKIPPED'));
      else results.push(item.requestType === 'RESERVE' ? this.reserve(item, tokens[i] ?? null) : this.unreserve(item));
    }
    const failed =
      (method === 'ALL_OR_NONE' && succeeded() < items.length) || (method === 'FIRST' && succeeded() === 0);
    if (!failed) return { method, status: 'APPLIED', results };
    Object.assign(this, { ...before });
    return {
      method,
      status: 'ROLLED_BACK',
      results: items.map((item, i) => {
        const result = results[i];
        if (result === undefined) throw new Error('an item without a result');
        return SUCCESS.includes(result.status) ? undone(item, 'ROLLED_BACK') : result;
      }),
    };
  }

  available(name: string): boolean {
    const meant = this.meaning(name);
    if (meant === null) return false;
    if (meant.slot !== undefined && this.holdAt(meant.slot) !== undefined) return false;
    return this.heldOf(meant.resource).length < this.capacityOf(meant.resource);
  }

  check({ resource: name, requester }: CheckItem): CheckResult {
    const meant = this.meaning(name);
    const one =
      meant === null ? name : (meant.slot ?? (this.capacityOf(meant.resource) === 1 ? meant.resource : undefined));
    const hold = one === undefined ? undefined : this.holdAt(one);
    const mine = requester === undefined ? undefined : this.find(name, requester);
    const told = mine ?? this.reservations.find(({ own }) => hold !== undefined && own.slot === hold.slot);
    return {
      resource: name,
      reserved: !this.available(name),
      requester: hold?.owner ?? null,
      heldByRequester: requester === undefined ? null : mine !== undefined,
      expiresAt: iso(told?.expiresAt ?? null),
    };
  }

  reset(): number {
    const cleared = this.reservations.length;
    this.reservations = [];
    return cleared;
  }

  /** Sets the clock, which ends what is due. */
  setClock(ms: number): void {
    this.nowMs = ms;
    for (const one of this.reservations) if (one.expiresAt !== null && one.expiresAt <= ms) this.end(one);
  }

  // --- Section 5

  /** Returns the definitions stored, or null where the batch is refused. */
  register(items: readonly Registration[]): Definition[] | null {
    const wanted = new Map(items.map((item) => [item.name, item]));
    const next = new Map(this.definitions);
    const stored: string[] = [...wanted.keys()];
    for (const { name, capacity, blocks, treePath } of wanted.values()) {
      next.set(name, { capacity, blocks: [...blocks], parent: treePath.at(-1) ?? null });
    }
    for (const { treePath } of wanted.values()) {
      for (let i = treePath.length - 1; i >= 0; i--) {
        const ancestor = treePath[i] ?? '';
        if (next.has(ancestor)) continue;
        next.set(ancestor, { capacity: 1, blocks: [], parent: treePath[i - 1] ?? null });
        stored.push(ancestor);
      }
    }
    const pathIn = (name: string, seen: string[] = []): string[] | null => {
      if (seen.includes(name)) return null; // a cycle
      const parent = next.get(name)?.parent ?? null;
      if (parent === null) return [];
      const path = pathIn(parent, [...seen, name]);
      return path === null ? null : [...path, parent];
    };
    for (const { name, treePath } of wanted.values()) {
      if (pathIn(name)?.join('>') !== treePath.join('>')) return null;
    }
    for (const name of next.keys()) {
      const path = pathIn(name);
      if (path === null || path.length > MAX_DEPTH) return null;
      const [base, index] = slotName(name) ?? ['', 0];
      const capacity = next.get(base)?.capacity ?? 1;
      if (capacity > 1 && index < capacity) return null;
    }
    this.definitions = next;
    // What was held as a plain resource and is now a pool's slot counts among the pool's.
    for (const hold of this.holds) {
      const [base, index] = slotName(hold.slot) ?? ['', 0];
      if (hold.of === hold.slot && next.has(base) && this.capacityOf(base) > 1 && index < this.capacityOf(base)) {
        hold.of = base;
        hold.byName = true;
      }
    }
    return stored.map((name) => this.describe(name));
  }

  describe(name: string): Definition {
    const { capacity, blocks } = this.definitions.get(name) ?? { capacity: 1, blocks: [] };
    return { name, capacity, blocks: [...blocks], treePath: this.ancestorsOf(name).join('>') || null };
  }

  list(): Definition[] {
    return [...this.definitions.keys()].sort(byCodePoint).map((name) => this.describe(name));
  }

  tree(parent: string | null = null): TreeNode[] {
    const names = [...this.definitions.keys()].filter((name) => this.definitions.get(name)?.parent === parent);
    return names.sort(byCodePoint).map((name) => ({
      name,
      path: [...this.ancestorsOf(name), name].join('>'),
      capacity: this.capacityOf(name),
      available: Math.max(0, this.capacityOf(name) - this.heldOf(name).length),
      children: this.tree(name),
    }));
  }

  /** Returns what was deleted, or why nothing was. */
  delete(name: string, cascade: boolean): string[] | 'refused' | 'unregistered' {
    if (!this.definitions.has(name)) return 'unregistered';
    const doomed = [name];
    for (const one of doomed) {
      for (const [child, { parent }] of this.definitions) if (parent === one) doomed.push(child);
    }
    if (!cascade && doomed.length > 1) return 'refused';
    if (doomed.some((one) => this.heldOf(one).length > 0)) return 'refused';
    for (const one of doomed) this.definitions.delete(one);
    return doomed;
  }
}
