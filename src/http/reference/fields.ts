/**
 * The fields of a request or a response as rows of a table: name, type and limits, default, meaning.
 */
import type { Parameter, Schema } from './document.ts';

type Schemas = Readonly<Record<string, Schema>>;

/** name, type with its limits, default or `required`, meaning */
export type Row = readonly [name: string, type: string, given: string, meaning: string];

/** Tables of fields. An object that has one of several shapes has a table for each, under a title. */
export interface Fields {
  readonly title: string | null;
  readonly rows: readonly Row[];
}

const NOUNS: Readonly<Record<string, string>> = { uuid: 'UUID', 'date-time': 'time', email: 'e-mail address' };

const inFigures = (value: number) => (Math.abs(value) >= 10_000 ? value.toLocaleString('en') : String(value));

function within(min: number | undefined, max: number | undefined, noun: string): string[] {
  const of = noun && ` ${noun}`;
  if (min !== undefined && max !== undefined) return [`${inFigures(min)} to ${inFigures(max)}${of}`];
  if (max !== undefined) return [`at most ${inFigures(max)}${of}`];
  return min === undefined || min === 0 ? [] : [`at least ${inFigures(min)}${of}`];
}

const limitsOf = ({ minLength, maxLength, minimum, maximum, minItems, maxItems, maxProperties }: Schema): string[] => [
  ...within(minLength, maxLength, 'characters'),
  // JSON schemas of integers may have the limits of safe integers, which say nothing.
  ...within(
    minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum,
    maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum,
    '',
  ),
  ...within(minItems, maxItems, ''),
  ...within(undefined, maxProperties, 'of them'),
];

const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : [type].flat());

/** Resolves a reference. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema;
  const { [schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)]: found } = schemas;
  if (found === undefined) throw new Error(`${schema.$ref} is not in the document`);
  // A description beside the reference says what it is here.
  return schema.description === undefined ? found : { ...found, description: schema.description };
}

/** The type of a value, in words: `string, 1 to 256 characters`. */
export function typeOf(given: Schema, schemas: Schemas): string {
  const schema = resolved(given, schemas);
  const kinds = typesOf(schema).filter((kind) => kind !== 'null');
  const nouns = kinds.map((kind) => nounOf(kind, schema, schemas));
  const noun = nouns.join(' or ') || (schema.anyOf || schema.oneOf ? 'object' : 'any');
  const nullable = typesOf(schema).includes('null') ? ' or null' : '';
  return [`${noun}${nullable}`, ...limitsOf(schema)].join(', ');
}

function nounOf(kind: string, schema: Schema, schemas: Schemas): string {
  if (kind === 'array' && schema.items) return `array of ${manyOf(resolved(schema.items, schemas))}`;
  const { additionalProperties: values } = schema;
  if (kind === 'object' && typeof values === 'object' && typesOf(values).includes('string')) return 'object of strings';
  return NOUNS[schema.format ?? ''] ?? kind;
}

const manyOf = (schema: Schema): string => {
  const [kind] = typesOf(schema);
  return kind === undefined ? 'objects' : `${NOUNS[schema.format ?? ''] ?? kind}s`;
};

function meaningOf({ description = '', enum: values }: Schema): string {
  const named = values?.filter((value) => value !== null) ?? [];
  if (named.length < 2) return description;
  return `${description} One of ${named.map((value) => `\`${value}\``).join(', ')}.`.trim();
}

const isIgnored = ({ description = '' }: Schema) => description.startsWith('Ignored');

/** The row of a field, and those of the fields in it. */
function rowsOf(name: string, given: Schema, isRequired: boolean, schemas: Schemas, seen: readonly Schema[]): Row[] {
  const schema = resolved(given, schemas);
  const standard =
    schema.default === undefined || schema.default === null ? '' : `\`${JSON.stringify(schema.default)}\``;
  const own: Row = [`\`${name}\``, typeOf(schema, schemas), isRequired ? 'required' : standard, meaningOf(schema)];
  const inner = schema.items ? resolved(schema.items, schemas) : schema;
  if (inner.properties === undefined || seen.includes(inner)) return [own];
  const prefix = schema.items ? `${name}[].` : `${name}.`;
  return [own, ...propertyRows(inner, schemas, prefix, [...seen, inner])];
}

function propertyRows(schema: Schema, schemas: Schemas, prefix: string, seen: readonly Schema[]): Row[] {
  const all = Object.entries(schema.properties ?? {}).filter(([, { not }]) => not === undefined);
  const ignored = all.filter(([, one]) => isIgnored(one));
  const rows = all
    .filter(([, one]) => !isIgnored(one))
    .flatMap(([name, one]) => rowsOf(`${prefix}${name}`, one, schema.required?.includes(name) ?? false, schemas, seen));
  const [first] = ignored;
  if (first === undefined) return rows;
  return [...rows, [ignored.map(([name]) => `\`${prefix}${name}\``).join(', '), 'any', '', first[1].description ?? '']];
}

/** The fields of an object, or of the objects of an array. Empty if the schema has none. */
export function fieldsOf(given: Schema, schemas: Schemas): Fields[] {
  const whole = resolved(given, schemas);
  const schema = whole.items ? resolved(whole.items, schemas) : whole;
  const rows = propertyRows(schema, schemas, '', [schema]);
  const own = rows.length === 0 ? [] : [{ title: null, rows }];
  const parts = Object.values(schema.properties ?? {}).map((part) => resolved(part.items ?? part, schemas));
  return [...own, ...[schema, ...parts].flatMap((part) => variantsOf(part, schemas))];
}

/** The shapes of an object that differ by the value of one field. */
function variantsOf({ oneOf = [] }: Schema, schemas: Schemas): Fields[] {
  return oneOf.flatMap((variant) => {
    const shape = resolved(variant, schemas);
    const kind = Object.entries(shape.properties ?? {}).find(([, { enum: values }]) => values?.length === 1);
    if (kind === undefined) return [];
    const [name, { enum: [value] = [] }] = kind;
    return [{ title: `Where \`${name}\` is \`${value}\``, rows: propertyRows(shape, schemas, '', [shape]) }];
  });
}

/** The row of a parameter. */
export function parameterRow({ name, required, description, schema }: Parameter, schemas: Schemas): Row[] {
  const said = description ?? schema.description;
  return rowsOf(name, said === undefined ? schema : { ...schema, description: said }, required ?? false, schemas, []);
}
