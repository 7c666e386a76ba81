/**
 * The conditions of slots in the model: who sets them, and which follow from the end of a reservation
 * (docs/specification.md#condition).
 */
import { expect } from 'vitest';
import type { UnreserveItem } from '../../src/contract/reservations.ts';
import type { Condition } from '../../src/domain/conditions.ts';
import { Matching } from './matching.ts';
import type { Entry } from './plans.ts';
import type { Reservation } from './state.ts';

/** Why slots are not ready, or not in the condition that is asked for: one of several texts. */
export const UNREADY = expect.stringMatching(/^NOT_AVAILABLE: .*(out of service|needs? cleaning|is ready)/);

/** The condition of its slots, as a release says it. */
export type Report = Pick<UnreserveItem, 'condition' | 'slots'>;

export abstract class Conditions extends Matching {
  /** The last fencing token before the transaction that is carried out. */
  protected fenceBefore = Number.POSITIVE_INFINITY;

  /** Returns true if the condition of slots is why an entry cannot be met. */
  protected isUnready({ resource, slot, owner, condition, valid }: Entry): boolean {
    if (!valid || !this.definitions.has(resource)) return false;
    const slots = this.slotNames(resource);
    if (slot === undefined && slots.length > 1)
      return condition === 'ready'
        ? slots.some((one) => this.conditionAt(one) !== 'ready')
        : slots.every((one) => this.conditionAt(one) !== condition);
    const name = slot ?? resource;
    const hold = this.holdAt(name);
    const isOwn = hold === undefined || hold.owner === owner;
    return isOwn && this.conditionAt(name) !== condition;
  }

  /** Returns true if a slot of what a name stands for is free and ready. */
  available(name: string): boolean {
    const meant = this.meaning(name);
    if (meant === null) return false;
    if (this.isGroup(meant.resource)) return true;
    if (meant.slot === undefined) return this.freeOf(meant.resource) > 0;
    if (this.holdAt(meant.slot) !== undefined || this.conditionAt(meant.slot) !== 'ready') return false;
    return this.heldOf(meant.resource).length < this.capacityOf(meant.resource);
  }

  /** Sets the condition of a resource's slots, or of one slot. */
  setCondition(name: string, condition: Condition): 'CHANGED' | 'UNCHANGED' | 'NOT_VALID' {
    const { resource, slot } = this.meaning(name) ?? {};
    if (resource === undefined || !this.definitions.has(resource) || this.isGroup(resource)) return 'NOT_VALID';
    const slots = slot === undefined ? this.slotNames(resource) : [slot];
    const isChanged = slots.some((one) => this.conditionAt(one) !== condition);
    for (const one of slots) this.putCondition(one, condition);
    return isChanged ? 'CHANGED' : 'UNCHANGED';
  }

  private putCondition(slot: string, condition: Condition): void {
    if (condition === 'ready') this.conditions.delete(slot);
    else this.conditions.set(slot, condition);
  }

  /** Gives the slots of a reservation the condition that follows from its end. Returns the worst one; null: ready. */
  protected afterUse(reservation: Reservation, report: Report): Exclude<Condition, 'ready'> | null {
    const { own, details, condition: asked = 'ready', token } = reservation;
    const isOwnName = details.mode === 'SHARED' && this.definitions.has(own.slot);
    const resource = this.definitions.has(own.of) && !isOwnName ? own.of : own.slot;
    const isLast = details.mode !== 'SHARED' || this.sharing(own.slot).length === 0;
    // No use is what nobody has claimed, and what its own request has made.
    const isUse = token !== null && reservation.fence <= this.fenceBefore;
    if (!this.definitions.has(resource) || this.isGroup(resource) || !isLast) return null;
    const dirties = isUse && this.definitions.get(resource)?.afterUse === 'dirty';
    const slots = (details.slots ?? [own.slot]).filter((slot) => this.slotNames(resource).includes(slot));
    for (const slot of slots) {
      const now = this.conditionAt(slot);
      const said = report.slots === undefined || report.slots.includes(slot) ? report.condition : undefined;
      if (now === 'out' && asked !== 'out') continue;
      if (asked === 'ready' && (said ?? 'ready') === 'ready') {
        if (dirties && now === 'ready') this.putCondition(slot, 'dirty');
      } else if (said !== undefined) this.putCondition(slot, said);
    }
    const after = slots.map((slot) => this.conditionAt(slot));
    return after.includes('out') ? 'out' : after.includes('dirty') ? 'dirty' : null;
  }

  /** After a reset, nobody can vouch for slots that are dirty after use. */
  protected doubtAll(): void {
    for (const [name, { afterUse, isGroup }] of this.definitions)
      for (const slot of afterUse === 'dirty' && !isGroup ? this.slotNames(name) : [])
        if (this.conditionAt(slot) === 'ready') this.conditions.set(slot, 'dirty');
  }
}
