/**
 * How a schema follows an instance's configuration. The schemas of this folder are static: they have the default
 * sizes. `withRules` makes the same schema for other sizes.
 */
import { z } from 'zod';
import { DEFAULT_SIZES, type Sizes } from '../domain/maxSizes.ts';

/** The part of the configuration that schemas depend on. */
export interface Rules {
  readonly sizes: Sizes;
}

type Part = z.core.$ZodType;

/** How to make a schema for other sizes. */
const MAKERS = new WeakMap<Part, (sizes: Sizes) => z.ZodType>();

/** Makes a schema that has the default sizes, and that withRules() can make again for others. */
export function sized<Schema extends z.ZodType>(make: (sizes: Sizes) => Schema): Schema {
  const schema = make(DEFAULT_SIZES);
  MAKERS.set(schema, make);
  return schema;
}

/** The kinds that mapParts() looks into, and those without parts. */
const CAN_BE_MADE = new Set<z.core.$ZodTypeDef['type']>([
  ...(['object', 'array', 'optional', 'nullable', 'default', 'pipe', 'union'] as const),
  ...(['string', 'number', 'boolean', 'enum', 'literal', 'unknown', 'transform'] as const),
]);

/** Makes a schema, with all its parts, for configured sizes. Returns it as it is if nothing in it depends on them. */
export function withRules<Schema extends z.ZodType>(schema: Schema, rules: Rules): Schema {
  const made = MAKERS.get(schema)?.(rules.sizes) ?? schema;
  if (!CAN_BE_MADE.has(made.def.type)) throw new TypeError(`withRules() does not look into a ${made.def.type}`);
  const result = mapParts(made, (part) => (part instanceof z.ZodType ? withRules(part, rules) : part));
  // A clone has no metadata of its own: the name in the OpenAPI document, the description.
  const meta = made.meta();
  const described = result === made || meta === undefined ? result : result.meta(meta);
  if (!isOfSameKind(schema, described)) throw new TypeError('a schema changed its kind with its sizes');
  return described;
}

const isOfSameKind = <Schema extends z.ZodType>(schema: Schema, other: z.ZodType): other is Schema =>
  schema.def.type === other.def.type;

/** The schema with `change` applied to each schema that it is made of, or itself if none changes. */
export function mapParts(schema: z.ZodType, change: (part: Part) => Part): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const shape = Object.fromEntries(Object.entries(schema.def.shape).map(([key, part]) => [key, change(part)]));
    const isSame = Object.entries(shape).every(([key, part]) => part === schema.def.shape[key]);
    return isSame ? schema : schema.clone({ ...schema.def, shape });
  }
  if (schema instanceof z.ZodArray) {
    const element = change(schema.def.element);
    return element === schema.def.element ? schema : schema.clone({ ...schema.def, element });
  }
  if (schema instanceof z.ZodOptional) {
    const innerType = change(schema.def.innerType);
    return innerType === schema.def.innerType ? schema : schema.clone({ ...schema.def, innerType });
  }
  if (schema instanceof z.ZodNullable) {
    const innerType = change(schema.def.innerType);
    return innerType === schema.def.innerType ? schema : schema.clone({ ...schema.def, innerType });
  }
  if (schema instanceof z.ZodDefault) {
    const innerType = change(schema.def.innerType);
    return innerType === schema.def.innerType ? schema : schema.clone({ ...schema.def, innerType });
  }
  if (schema instanceof z.ZodPipe) {
    const part = change(schema.def.in);
    return part === schema.def.in ? schema : schema.clone({ ...schema.def, in: part });
  }
  if (schema instanceof z.ZodUnion) {
    const options = schema.def.options.map(change);
    const isSame = options.every((option, i) => option === schema.def.options[i]);
    return isSame ? schema : schema.clone({ ...schema.def, options });
  }
  return schema;
}
