/** Attributes of resources and of their slots, which come with a hold (docs/specification.md#attributes). */
import { z } from 'zod';
import type { Attributes } from '../domain/attributes.ts';
import { utf8Length } from '../domain/names.ts';

const MAX_ATTRIBUTES = 16;
const MAX_VALUE_LENGTH = 1024;
/** Bytes of the keys and values of a set. */
const MAX_SET_BYTES = 2048;
/** Bytes of the keys and values of a definition. */
const MAX_BYTES = 65_536;
/** Slots of a pool whose slots have attributes. */
const MAX_SLOTS = 1000;

const KEY = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

type Refuse = (message: string, path?: (string | number)[]) => void;

const bytesOf = (set: Attributes): number =>
  Object.entries(set).reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0);

function valueFault(value: string): string | null {
  if (value.length > 2 * MAX_VALUE_LENGTH || [...value].length > MAX_VALUE_LENGTH)
    return `must be at most ${MAX_VALUE_LENGTH} characters long`;
  if (value.includes('\0')) return 'must not contain the character NUL';
  return value.isWellFormed() ? null : 'must be well-formed Unicode';
}

/** Checks a set of attributes. It is not a record of the schema library, which would drop the key `__proto__`. */
function setOf(value: unknown, refuse: Refuse): Attributes {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse('must be an object of texts');
    return {};
  }
  const pairs: [string, unknown][] = Object.entries(value);
  if (pairs.length > MAX_ATTRIBUTES) refuse(`must hold at most ${MAX_ATTRIBUTES} attributes`);
  const texts = pairs.slice(0, MAX_ATTRIBUTES).map(([key, text]): [string, string] => {
    if (!KEY.test(key)) refuse('must have keys of 1 to 64 letters, digits and _ that begin with a letter');
    const fault = typeof text === 'string' ? valueFault(text) : 'must be a string';
    if (fault !== null) refuse(fault, [key]);
    return [key, String(text)];
  });
  if (new Set(texts.map(([key]) => key.toLowerCase())).size < texts.length)
    refuse('must not have two keys that differ only by case');
  const set: Attributes = Object.fromEntries(texts);
  if (bytesOf(set) > MAX_SET_BYTES) refuse(`must come to at most ${MAX_SET_BYTES} bytes`);
  return set;
}

const ofTexts = { type: 'string', maxLength: MAX_VALUE_LENGTH } as const;

export const attributes = z
  .unknown()
  .transform(
    (value, context): Attributes =>
      setOf(value, (message, path = []) => context.addIssue({ code: 'custom', message, path })),
  )
  .meta({
    type: 'object',
    additionalProperties: ofTexts,
    maxProperties: MAX_ATTRIBUTES,
    description:
      'What those who hold it need, such as its address. Stored in clear: no place for passwords. Absent, they stay as they are; {} removes them.',
    example: { hub: '10.0.0.7' },
  });

export const slotAttributes = z
  .unknown()
  .transform((value, context): Attributes[] => {
    const refuse: Refuse = (message, path = []) => context.addIssue({ code: 'custom', message, path });
    if (!Array.isArray(value)) {
      refuse('must be an array of objects');
      return [];
    }
    const sets: unknown[] = value;
    if (sets.length > MAX_SLOTS) refuse(`must have at most ${MAX_SLOTS} entries`);
    return sets
      .slice(0, MAX_SLOTS)
      .map((set, index) => setOf(set, (message, path = []) => refuse(message, [index, ...path])));
  })
  .meta({
    type: 'array',
    maxItems: MAX_SLOTS,
    items: { type: 'object', additionalProperties: ofTexts, maxProperties: MAX_ATTRIBUTES },
    description: 'The attributes of each slot of a pool, in order. Absent, they stay as they are; [] removes them.',
    example: [{ serial: 'A1' }, { serial: 'B2' }],
  });

/**
 * Checks the rules between the attributes of a definition.
 * @param capacity the number of slots; 0 for a group
 */
export function checkAttributes(
  sets: { readonly attributes?: Attributes | undefined; readonly slotAttributes?: readonly Attributes[] | undefined },
  capacity: number,
  refuse: (path: string[], message: string) => void,
): void {
  const { attributes: own = {}, slotAttributes: slots = [] } = sets;
  if (slots.length > 0 && capacity > MAX_SLOTS)
    refuse(['slotAttributes'], `must not be given for a pool of more than ${MAX_SLOTS} slots`);
  else if (slots.length > capacity)
    refuse(['slotAttributes'], `must have at most ${capacity} entries, as many as slots`);
  if (slots.reduce((sum, set) => sum + bytesOf(set), bytesOf(own)) > MAX_BYTES)
    refuse(['slotAttributes'], `must come to at most ${MAX_BYTES} bytes with attributes`);
}

const ofHold = z.record(z.string(), z.string());

/** The attributes of a hold, in results. */
export const heldAttributes = {
  attributes: ofHold.optional().meta({
    description: 'The attributes of the resource and of the slot. Left out if it has none, or if it is not held.',
    example: { hub: '10.0.0.7', serial: 'A1' },
  }),
  slotAttributes: z
    .array(ofHold)
    .optional()
    .meta({ description: 'With several slots: the attributes of each of `slots`.' }),
};

/** The attributes of a definition, in results. */
export const definedAttributes = {
  attributes: ofHold
    .optional()
    .meta({ description: 'Its attributes; left out if it has none, or without the right `define`.' }),
  slotAttributes: z
    .array(ofHold)
    .optional()
    .meta({ description: 'The attributes of its slots; left out as `attributes`.' }),
};
