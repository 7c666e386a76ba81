/**
 * Encodes and decodes attributes for scripts, which know a set of them as JSON (lua/definitions/attributes.lua), and
 * reads those that come with a hold.
 */
import { z } from 'zod';
import type { ReserveResult } from '../../contract/reservations.ts';
import type { Attributes } from '../../domain/attributes.ts';

/** @returns the same text for the same set, whatever its order: the database has an order of its own */
export const encodeAttributes = (set: Attributes): string =>
  JSON.stringify(Object.fromEntries(Object.entries(set).sort(([a], [b]) => (a < b ? -1 : 1))));

const Sets = z.record(z.string(), z.string());

/** @param text JSON; '' for none */
export const decodeAttributes = (text: string): Attributes => (text === '' ? {} : Sets.parse(JSON.parse(text)));

/** Lays a set over another one. Keys that differ by case are the same. */
function laidOver(own: Attributes, over: Attributes): Attributes {
  const replaced = new Set(Object.keys(over).map((key) => key.toLowerCase()));
  const rest = Object.entries(own).filter(([key]) => !replaced.has(key.toLowerCase()));
  return Object.fromEntries([...rest, ...Object.entries(over)]);
}

/**
 * Reads the attributes of a hold (lua/reservations/heldAttributes.lua).
 * @param areSeveral whether the reservation has several slots
 * @param reply the set of the resource, then those of its slots; nothing if it has no attributes
 */
export function heldAttributes(
  areSeveral: boolean,
  [own, ...slots]: readonly string[],
): Pick<ReserveResult, 'attributes' | 'slotAttributes'> {
  if (own === undefined) return {};
  const sets = slots.map(decodeAttributes);
  const attributes = areSeveral ? decodeAttributes(own) : laidOver(decodeAttributes(own), sets[0] ?? {});
  return {
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
    ...(areSeveral && sets.length > 0 ? { slotAttributes: sets } : {}),
  };
}
