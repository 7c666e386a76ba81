/**
 * Registration in the model: definitions that it stores, lists and deletes (docs/specification.md#registration).
 */
import type { Definition, TreeNode } from '../../src/contract/definitions.ts';
import type { Condition } from '../../src/domain/conditions.ts';
import { Plans } from './plans.ts';
import { namesOf, type Registered, type Registration, slotName } from './state.ts';

const MAX_DEPTH = 16;
export const byCodePoint = (a: string, b: string) => (Buffer.from(a) < Buffer.from(b) ? -1 : 1);

export class Definitions extends Plans {
  /** Returns the definitions stored, or null if the batch is refused. */
  register(items: readonly Registration[]): Definition[] | null {
    // Of several items with one name the last one counts, in its own place.
    const isLast = (item: Registration) => items.findLast(({ name }) => name === item.name) === item;
    const wanted = new Map(items.filter(isLast).map((item) => [item.name, item]));
    const next = new Map(this.definitions);
    const stored: string[] = [...wanted.keys()];
    for (const { name, capacity, blocks, treePath, group, labels, afterUse, ...sets } of wanted.values()) {
      const before = this.definitions.get(name);
      const isGroup = group ?? before?.isGroup ?? false;
      // It leaves a group as it is, and gives it a capacity.
      if (isGroup && group === undefined) return null;
      next.set(name, {
        capacity: isGroup ? 1 : capacity,
        blocks: [...blocks],
        parent: treePath.at(-1) ?? null,
        isGroup,
        labels: labels ?? before?.labels ?? {},
        afterUse: isGroup ? 'ready' : (afterUse ?? before?.afterUse ?? 'ready'),
        attributes: sets.attributes ?? before?.attributes ?? {},
        bookable: !isGroup && (sets.bookable ?? before?.bookable ?? false),
        slotAttributes: (sets.slotAttributes ?? before?.slotAttributes ?? []).slice(0, isGroup ? 0 : capacity),
      });
    }
    for (const { treePath, groups = false } of wanted.values()) {
      for (let i = treePath.length - 1; i >= 0; i--) {
        const ancestor = treePath[i] ?? '';
        if (next.has(ancestor)) continue;
        next.set(ancestor, { capacity: 1, blocks: [], parent: treePath[i - 1] ?? null, isGroup: groups });
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
      const [base, slotNumber] = slotName(name) ?? ['', 0];
      const capacity = next.get(base)?.capacity ?? 1;
      if (capacity > 1 && slotNumber < capacity) return null;
    }
    if (!this.mayBeBooked(next) || this.losesBookings(next)) return null;
    // All drops come first: the name of a slot that is dropped may be registered by the same request.
    for (const name of stored) this.dropConditions(name, this.definitions.get(name), next.get(name));
    for (const name of stored) this.dirtyNew(name, this.definitions.get(name), next.get(name));
    this.definitions = next;
    // A plain resource that was held and is now a pool's slot counts among the pool's.
    for (const hold of this.holds) {
      const [base, slotNumber] = slotName(hold.slot) ?? ['', 0];
      if (hold.of === hold.slot && next.has(base) && this.capacityOf(base) > 1 && slotNumber < this.capacityOf(base)) {
        hold.of = base;
        hold.byName = true;
      }
    }
    return stored.map((name) => this.describe(name));
  }

  /** Bookable resources have no blockers, nothing below them, and no ancestors but groups. */
  private mayBeBooked(next: ReadonlyMap<string, Registered>): boolean {
    return [...next].every(([, { parent, blocks, bookable }]) => {
      const above = parent === null ? undefined : next.get(parent);
      const isAlone = (one: Registered | undefined): boolean =>
        one === undefined || (one.isGroup === true && isAlone(one.parent === null ? undefined : next.get(one.parent)));
      return above?.bookable !== true && !(bookable === true && (blocks.length > 0 || !isAlone(above)));
    });
  }

  /** Returns true if a slot that is booked would not be there any more, or not be bookable. */
  private losesBookings(next: ReadonlyMap<string, Registered>): boolean {
    return [...this.definitions.keys()].some((name) => {
      const { capacity = 0, bookable } = next.get(name) ?? {};
      const slots = bookable !== true ? [] : capacity === 1 ? [name] : namesOf(name, capacity);
      return this.bookedSlots(name).some((slot) => !slots.includes(slot));
    });
  }

  describe(name: string): Definition {
    const { capacity = 1, blocks = [], attributes = {}, slotAttributes = [] } = this.definitions.get(name) ?? {};
    const treePath = this.ancestorsOf(name).join('>') || null;
    const { outOfService: _, dirty: __, ...details } = this.detailsOf(name);
    return {
      name,
      capacity: details.group ? null : capacity,
      blocks: [...blocks],
      treePath,
      ...details,
      ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
      ...(slotAttributes.length === 0 ? {} : { slotAttributes: [...slotAttributes] }),
      ...(this.isBookable(name) ? { bookable: true } : {}),
    };
  }

  /** Fields that listings leave out if they say nothing. */
  detailsOf(name: string): { group?: true } & Pick<Definition, 'labels' | 'afterUse' | 'outOfService' | 'dirty'> {
    const { isGroup = false, labels = {}, afterUse } = this.definitions.get(name) ?? {};
    return {
      ...(isGroup ? { group: true } : {}),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(afterUse === 'dirty' ? { afterUse } : {}),
      ...this.countsOf(name),
    };
  }

  /** The number of slots that are not ready, if any. */
  private countsOf(name: string): { outOfService?: number; dirty?: number } {
    const all = this.isGroup(name) ? [] : this.slotNames(name).map((slot) => this.conditionAt(slot));
    const [out, dirty] = (['out', 'dirty'] as const).map((one) => all.filter((other) => other === one).length);
    return { ...(out ? { outOfService: out } : {}), ...(dirty ? { dirty } : {}) };
  }

  /** The number of free slots of a resource in a condition. */
  freeOf(resource: string, condition: Condition = 'ready'): number {
    return Math.max(0, this.balanceOf(resource, condition));
  }

  /** The same; below 0 if slots are held from an earlier capacity, too. */
  protected balanceOf(resource: string, condition: Condition): number {
    const slots = this.slotNames(resource).filter((slot) => this.holdAt(slot) === undefined);
    if (condition !== 'ready') return slots.filter((slot) => this.conditionAt(slot) === condition).length;
    const unready = slots.filter((slot) => this.conditionAt(slot) !== 'ready').length;
    return this.capacityOf(resource) - this.heldOf(resource).length - unready;
  }

  list(): Definition[] {
    return [...this.definitions.keys()]
      .sort(byCodePoint)
      .map((name) => ({ ...this.describe(name), ...this.countsOf(name) }));
  }

  tree(parent: string | null = null): TreeNode[] {
    const names = [...this.definitions.keys()].filter((name) => this.definitions.get(name)?.parent === parent);
    return names.sort(byCodePoint).map((name) => {
      const { afterUse: _, group, ...details } = this.detailsOf(name);
      return {
        name,
        path: [...this.ancestorsOf(name), name].join('>'),
        capacity: this.isGroup(name) ? null : this.capacityOf(name),
        available: this.isGroup(name) ? null : this.freeOf(name),
        waiting: 0,
        ...(group && { group }),
        ...details,
        children: this.tree(name),
      };
    });
  }

  /** Returns what was deleted, or why nothing was. */
  delete(name: string, cascade: boolean): string[] | 'refused' | 'unregistered' {
    if (!this.definitions.has(name)) return 'unregistered';
    const doomed = [name];
    for (const one of doomed) {
      for (const [child, { parent }] of this.definitions) if (parent === one) doomed.push(child);
    }
    if (!cascade && doomed.length > 1) return 'refused';
    if (doomed.some((one) => this.heldOf(one).length > 0 || this.bookedSlots(one).length > 0)) return 'refused';
    for (const one of doomed) {
      this.dropConditions(one, this.definitions.get(one), undefined);
      this.definitions.delete(one);
    }
    return doomed;
  }

  /** Drops the conditions of slots that are no more. */
  private dropConditions(name: string, before: Registered | undefined, after: Registered | undefined): void {
    const left = staysPool(before, after) ? slotsOf(name, after) : [];
    for (const slot of slotsOf(name, before)) if (!left.includes(slot)) this.conditions.delete(slot);
  }

  /** Makes those slots dirty that nobody can vouch for, if a resource is dirty after use. */
  private dirtyNew(name: string, before: Registered | undefined, after: Registered | undefined): void {
    if (after?.afterUse !== 'dirty') return;
    const known = before?.afterUse === 'dirty' && staysPool(before, after) ? slotsOf(name, before) : [];
    for (const slot of slotsOf(name, after))
      if (this.conditionAt(slot) === 'ready' && !known.includes(slot)) this.conditions.set(slot, 'dirty');
  }
}

const slotsOf = (name: string, one: Registered | undefined): string[] =>
  one === undefined || one.isGroup ? [] : one.capacity === 1 ? [name] : namesOf(name, one.capacity);

/** Returns true if a resource was and is a pool, or neither. */
const staysPool = (before: Registered | undefined, after: Registered | undefined): boolean =>
  (before?.capacity ?? 0) > 1 === (after?.capacity ?? 0) > 1;
