/**
 * Reads what scripts say of slots that are not ready, for pages (docs/specification.md#condition).
 */
import type { AskedCondition } from '../../domain/conditions.ts';
import { parseItem, toMs, toTime } from '../../redis/reply.ts';

/** The condition of what is not ready. */
export type NotReady = AskedCondition;

export const toNotReady = (text: string | undefined): NotReady | null =>
  text === 'out' || text === 'dirty' ? text : null;

export interface SlotCondition {
  /** The name of the slot; of a resource with one slot, the resource. */
  readonly slot: string;
  readonly condition: NotReady;
  /** In ISO 8601 UTC; null: not known */
  readonly since: string | null;
  /** The actor who set it, as in events; null: nobody in particular */
  readonly actor: string | null;
  readonly reason: string | undefined;
}

/** @param text the lines of a slot, as conditionText() in lua/verbs/resources.lua has them */
export function toSlotCondition(text: unknown): SlotCondition {
  const [slot = '', condition, since, actor = '', reason = ''] = parseItem(text);
  return {
    slot,
    condition: condition === 'out' ? 'out' : 'dirty',
    since: toTime(toMs(since)),
    actor: actor || null,
    reason: reason || undefined,
  };
}
