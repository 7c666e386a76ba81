/**
 * Makes packages/python/src/holdfast/_generated.py: the types of the calls that the Python client makes, from the
 * OpenAPI document. For `npm run generate`.
 */
import { z } from 'zod';
import { SCHEMAS } from './clientTypes.ts';

const Schema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  enum: z.array(z.union([z.string(), z.boolean(), z.null()])).optional(),
  required: z.array(z.string()).default([]),
  get properties() {
    return z.record(z.string(), Schema).optional();
  },
  get items() {
    return Schema.optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), Schema]).optional();
  },
  get oneOf() {
    return z.array(Schema).optional();
  },
  get anyOf() {
    return z.array(Schema).optional();
  },
});
type Schema = z.infer<typeof Schema>;

const Document = z.looseObject({ components: z.object({ schemas: z.record(z.string(), Schema) }) });

const WIDTH = 120;
const INDENT = '    ';
const SCALARS: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};
/** Fields that Python has another meaning for. A class cannot have them. */
const KEYWORDS = ['not', 'in', 'from', 'class', 'is', 'or', 'and'];

/** Writes schemas as Python. An object in a field becomes a class of its own, named like the field: HeldBy, Waiting. */
class Classes {
  /** The text of each class after its name, by name. */
  readonly #bodies = new Map<string, string>();
  readonly #definitions: string[] = [];

  /** @returns all definitions, each after those that it uses */
  get text(): string {
    return this.#definitions.join('\n\n');
  }

  /** Writes a schema under its name in the document. */
  add(name: string, schema: Schema): void {
    if (schema.properties) this.#addClass(name, name, schema);
    else this.#definitions.push(`${wrapped(`${name} = ${this.#typeOf(schema, name, '')}`)}\n`);
  }

  /** The type of a field of `owner`, or of one part of it. */
  #typeOf(schema: Schema, owner: string, field: string): string {
    const { $ref, type, items, oneOf, anyOf } = schema;
    if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
    const options = oneOf ?? anyOf;
    if (options) return union(options.map((one) => this.#typeOf(one, owner, kindOf(one) ?? field)));
    if (schema.enum) return literal(schema.enum);
    if (type === undefined) return 'object';
    return union(
      [type].flat().map((one) => {
        if (one === 'array') return `Sequence[${items ? this.#typeOf(items, owner, singular(field)) : 'object'}]`;
        return one === 'object' ? this.#objectOf(schema, owner, field) : (SCALARS[one] ?? 'object');
      }),
    );
  }

  #objectOf(schema: Schema, owner: string, field: string): string {
    if (schema.properties) return this.#addClass(pascal(field), owner + pascal(field), schema);
    const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    return `Mapping[str, ${values ? this.#typeOf(values, owner, field) : 'object'}]`;
  }

  /** @param longName its name if another class has the short one */
  #addClass(shortName: string, longName: string, schema: Schema): string {
    const { properties = {}, required } = schema;
    const fields = Object.entries(properties).map(([field, value]) => {
      const type = this.#typeOf(value, longName, field);
      const own = required.includes(field) ? type : `NotRequired[${type}]`;
      return { field, type: own, description: value.description };
    });
    const isClass = fields.every(({ field }) => !KEYWORDS.includes(field));
    const lines = fields.map(({ field, type, description }) =>
      isClass ? wrapped(`${INDENT}${field}: ${type}`) + docstring(description) : `${INDENT}"${field}": '${type}',\n`,
    );
    const body = lines.join('');
    const name = [undefined, body].includes(this.#bodies.get(shortName)) ? shortName : longName;
    if (this.#bodies.has(name)) return name;
    this.#bodies.set(name, body);
    const text = isClass ? `class ${name}(TypedDict):\n${body}` : `${name} = TypedDict("${name}", {\n${body}})\n`;
    this.#definitions.push(text);
    return name;
  }
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

const pascal = (field: string): string => field.charAt(0).toUpperCase() + field.slice(1);

const singular = (field: string): string => field.replace(/s$/, '');

/** What tells one of several kinds of object from the others: `reserve` of `{requestType: 'RESERVE'}`, `not`. */
function kindOf({ properties = {} }: Schema): string | undefined {
  const constants = Object.values(properties).flatMap(({ enum: values }) => (values?.length === 1 ? values : []));
  const names = constants.length === 0 ? Object.keys(properties) : constants;
  return names.length === 1 ? `${names[0]}`.toLowerCase() : undefined;
}

const literal = (values: readonly (string | boolean | null)[]): string => {
  const shown = { true: 'True', false: 'False', null: 'None' };
  const texts = values.map((value) => (typeof value === 'string' ? `"${value}"` : shown[`${value}`]));
  return `Literal[${texts.join(', ')}]`;
};

/** A line of a field or name, its Literal over several lines if it is too long. */
function wrapped(line: string): string {
  if (line.length <= WIDTH) return line;
  const indent = line.slice(0, line.length - line.trimStart().length);
  return line.replace(/Literal\[(.*?)\]/, (_, values: string) => {
    const rows = values.split(', ').map((value) => `${indent}${INDENT}${value},\n`);
    return `Literal[\n${rows.join('')}${indent}]`;
  });
}

/** The end of a field's line, and what it means below it, where editors find it. */
function docstring(description: string | undefined): string {
  if (description === undefined) return '\n';
  const lines = `"""${description}"""`.match(new RegExp(`.{1,${WIDTH - INDENT.length}}(?: |$)`, 'g')) ?? [];
  return `\n${lines.map((line) => `${INDENT}${line.trimEnd()}\n`).join('')}`;
}

/**
 * The generated module, as text. Lists and objects are read-only, so that a tuple or a narrower dict fits too.
 * @param document the OpenAPI document
 */
export function pythonTypes(document: object): string {
  const { schemas } = Document.parse(document).components;
  const classes = new Classes();
  for (const name of SCHEMAS) {
    const schema = schemas[name];
    if (schema) classes.add(name, schema);
  }
  return `# Made by \`npm run generate\`. Do not edit.
"""Requests and responses of the service, with its names of fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

${classes.text}`;
}
