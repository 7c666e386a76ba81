/**
 * Finds out what keeps new requesters from a resource that is free itself.
 */
import type { Credential } from '../domain/tenants.ts';
import type { Engine } from '../engine/call.ts';
import type { Hold } from '../engine/reservations/slotState.ts';
import { resourceStates } from '../engine/reservations/states.ts';

/** An ancestor without a free slot, or a blocker that is not free. */
export interface InTheWay {
  readonly kind: 'ancestor' | 'blocker';
  readonly name: string;
  /** Who holds it; null: nobody, or several do */
  readonly hold: Hold | null;
}

/**
 * @param name of a resource
 * @returns the first thing in the way; null: nothing is, or the resource itself is held
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function readInTheWay(engine: Engine, credential: Credential, name: string): Promise<InTheWay | null> {
  const [state] = await resourceStates(engine, credential, [name], { slots: 1 });
  if (state === undefined) return null;
  if (state.blockedBy !== null) return { kind: 'blocker', ...state.blockedBy };
  if (state.fullAncestor === null) return null;
  const [full] = await resourceStates(engine, credential, [state.fullAncestor], { slots: 1 });
  return {
    kind: 'ancestor',
    name: state.fullAncestor,
    hold: full?.capacity === 1 ? (full.slots[0]?.hold ?? null) : null,
  };
}
