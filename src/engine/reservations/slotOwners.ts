/**
 * Returns who holds each slot of a resource, for the dashboard.
 */
import type { Credential } from '../../domain/tenants.ts';
import { parseItem } from '../../redis/reply.ts';
import { call, type Engine } from '../call.ts';

/** Who holds a slot, and the note of the reservation on it. */
export interface SlotOwner {
  readonly owner: string;
  readonly note: string | undefined;
}

/**
 * @param slots names of slots, at most about 2,000
 * @returns the holder of each slot, in their order; null if the slot is free. Of a slot that is held SHARED, the owner
 * is a text that names the first who hold it
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function slotOwners(
  engine: Engine,
  credential: Credential,
  slots: readonly string[],
): Promise<(SlotOwner | null)[]> {
  const owners: (SlotOwner | null)[] = [];
  while (owners.length < slots.length) {
    const rest = slots.slice(owners.length);
    const piece = await call(engine, 'slotOwners', credential, () => rest);
    owners.push(...piece.map(toOwner));
  }
  return owners;
}

/** The names of those who hold a slot SHARED that the text of it has. */
const SHOWN = 5;

function toOwner(reply: unknown): SlotOwner | null {
  const [owner = '', note] = parseItem(reply);
  if (owner.startsWith('\x01')) return { owner: toHolders(owner), note };
  return owner === '' ? null : { owner, note };
}

/** Names the first who hold a slot SHARED, and counts the others. */
function toHolders(text: string): string {
  const [count, ...names] = text
    .slice(1)
    .split('\x01')
    .filter((part) => part !== '');
  const shown = names.slice(0, SHOWN);
  const others = Number(count) - shown.length;
  const more =
    others === 0 ? [] : [`${others} ${shown.length === 0 ? 'requesters' : others === 1 ? 'other' : 'others'}`];
  return `SHARED by ${[...shown, ...more].join(', ')}`;
}
