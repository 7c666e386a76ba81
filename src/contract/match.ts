/**
 * The field `match` of reserve items: the labels of a resource instead of its name
 * (docs/specification.md#any-resource-that-fits).
 */
import { z } from 'zod';
import { MAX_LABELS, MAX_WAITING_MATCHES } from '../domain/maxSizes.ts';
import { LABEL_KEY, labelFault } from '../domain/names.ts';
import { type Asked, type Match, type Mode, textOfAsked, textOfMatch } from '../domain/reservations.ts';
import type { Refuse } from './waiting.ts';

/** Maximum number of values that a label may have: each costs one look at the index. */
const MAX_VALUES = 16;

const VALUES: z.core.JSONSchema.BaseSchema[] = [
  { type: 'string', maxLength: 128 },
  { type: 'array', items: { type: 'string', maxLength: 128 }, minItems: 1, maxItems: MAX_VALUES },
];

const Unwanted = z.strictObject({ not: z.unknown() });

/** Not a record of the schema library, which would drop the key `__proto__`. */
export const match = z
  .unknown()
  .transform((value, context): Match => {
    const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', message, path });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('must be an object of labels');
    const pairs: [string, unknown][] = Object.entries(value ?? {});
    if (pairs.length < 1 || pairs.length > MAX_LABELS) refuse(`must hold 1 to ${MAX_LABELS} labels`);
    const labels = pairs.slice(0, MAX_LABELS).map(([key, values]): [string, Match[string]] => {
      if (!LABEL_KEY.test(key)) refuse('must have keys of 1 to 64 letters, digits and the characters . _ / -');
      const unwanted = Unwanted.safeParse(values).data;
      if (unwanted === undefined) return [key, textsOf(values, (message) => refuse(message, [key]))];
      return [key, { not: textsOf(unwanted.not, (message) => refuse(message, [key, 'not'])) }];
    });
    if (labels.length > 0 && labels.every(([, values]) => typeof values === 'object' && 'not' in values))
      refuse('must want at least one label');
    return Object.fromEntries(labels);
  })
  .meta({
    type: 'object',
    additionalProperties: {
      oneOf: [
        ...VALUES,
        { type: 'object', properties: { not: { oneOf: VALUES } }, required: ['not'], additionalProperties: false },
      ],
    },
    minProperties: 1,
    maxProperties: MAX_LABELS,
    description:
      'Labels that the resource must have, instead of `resource`: any resource that fits is taken. An array: one of these values. `not`: none of these.',
    example: { os: 'android', size: ['l', 'xl'], site: { not: 'berlin' } },
  });

/** Checks the values of a label. */
function textsOf(values: unknown, refuse: (message: string) => void): string | string[] {
  const list: unknown[] = Array.isArray(values) ? values : [values];
  if (list.length < 1 || list.length > MAX_VALUES) refuse(`must hold 1 to ${MAX_VALUES} values`);
  const texts = list.slice(0, MAX_VALUES).map((one) => {
    const fault = typeof one === 'string' ? labelFault(one) : 'must be a string, or an array of strings';
    if (fault !== null) refuse(fault);
    return String(one);
  });
  const [first = ''] = texts;
  return Array.isArray(values) ? texts : first;
}

/** Gives an item with a match the text of that as its resource, until one is picked. */
export const named = <Item extends Asked>(one: Item): Item & { readonly resource: string } =>
  isNamed(one) ? one : { ...one, resource: textOfMatch(one.match ?? {}) };

const isNamed = <Item extends Asked>(one: Item): one is Item & { readonly resource: string } =>
  one.resource !== undefined;

/** Checks that an item names a resource or says which would fit. */
export function checkAsked({ resource, match: wanted }: Asked, path: (string | number)[], refuse: Refuse): void {
  if (resource === undefined && wanted === undefined) refuse([...path, 'resource'], 'is required');
  else if (resource !== undefined && wanted !== undefined) refuse([...path, 'match'], 'must not stand beside resource');
}

const NOT_SHARED = ['count', 'match', 'condition'] as const;

/** Checks that an item asks for a SHARED hold of one slot that it names, and that is ready. */
export function checkMode(
  one: { readonly mode?: Mode | undefined } & Partial<Record<(typeof NOT_SHARED)[number], unknown>>,
  path: (string | number)[],
  refuse: Refuse,
): void {
  const { mode } = one;
  const beside = NOT_SHARED.find((field) => one[field] !== undefined);
  if (mode === 'SHARED' && beside) refuse([...path, 'mode'], `must not be SHARED where there is a ${beside}`);
}

/** Checks how many different matches a transaction that waits has: each is compared with what becomes free. */
export function checkMatches(
  items: readonly (Asked & { readonly condition?: string | undefined })[],
  path: (string | number)[],
  refuse: Refuse,
): void {
  const matches = items.filter(({ match }) => match !== undefined);
  const texts = new Set(matches.map((one) => `${one.condition} ${textOfAsked(one)}`));
  if (texts.size > MAX_WAITING_MATCHES)
    refuse(path, `must hold at most ${MAX_WAITING_MATCHES} different matches where waitSeconds is more than 0`);
}
