/** The attributes that come with a hold, in the model (docs/specification.md#attributes). */
import type { ReserveResult } from '../../src/contract/reservations.ts';
import type { Attributes } from '../../src/domain/attributes.ts';
import { Conditions } from './conditions.ts';
import { type Reservation, slotName } from './state.ts';

/** Lays attributes over others. Keys that differ by case are the same. */
const laidOver = (own: Attributes, over: Attributes): Attributes => {
  const isReplaced = (key: string) => Object.keys(over).some((other) => other.toLowerCase() === key.toLowerCase());
  return { ...Object.fromEntries(Object.entries(own).filter(([key]) => !isReplaced(key))), ...over };
};

export abstract class HeldAttributes extends Conditions {
  /** The present attributes of a reservation's resource, and those of its slots. */
  protected attributesOf({ own, details }: Reservation): Pick<ReserveResult, 'attributes' | 'slotAttributes'> {
    const resource = details.mode === 'SHARED' ? this.meaning(own.slot)?.resource : own.of;
    const definition = this.definitions.get(resource ?? '');
    if (definition === undefined) return {};
    const { attributes: ofAll = {}, slotAttributes = [], capacity } = definition;
    const ofSlot = (slot: string): Attributes => {
      const isOnly = slot === resource;
      const number = isOnly ? 0 : slotName(slot)?.[1];
      return (isOnly && capacity > 1 ? undefined : slotAttributes[number ?? 0]) ?? {};
    };
    const attributes = details.slots === undefined ? laidOver(ofAll, ofSlot(own.slot)) : ofAll;
    return {
      ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
      ...(details.slots && slotAttributes.length > 0 ? { slotAttributes: details.slots.map(ofSlot) } : {}),
    };
  }
}
