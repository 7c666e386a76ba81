/**
 * Returns who holds each slot of a resource, for the dashboard.
 */
import type { Credential } from '../../domain/tenants.ts';
import { toText } from '../../redis/reply.ts';
import { call, type Engine } from '../call.ts';

/**
 * @param slots names of slots, at most about 2,000
 * @returns the owner of each slot, in their order; null if the slot is free. Of a slot that is held SHARED, a text that
 * names the first who hold it
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function slotOwners(
  engine: Engine,
  credential: Credential,
  slots: readonly string[],
): Promise<(string | null)[]> {
  const owners: (string | null)[] = [];
  while (owners.length < slots.length) {
    const rest = slots.slice(owners.length);
    const piece = await call(engine, 'slotOwners', credential, () => rest);
    owners.push(...piece.map((owner) => toOwner(toText(owner))));
  }
  return owners;
}

/** The names of those who hold a slot SHARED that the text of it has. */
const SHOWN = 5;

function toOwner(text: string): string | null {
  if (!text.startsWith('\x01')) return text || null;
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
