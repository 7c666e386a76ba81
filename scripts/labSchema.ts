/** Writes docs/lab.schema.json: the files of `holdfast apply`, for editors and checks in CI. */
import { z } from 'zod';

const Document = z.looseObject({
  components: z.looseObject({
    schemas: z.looseObject({
      Registration: z.looseObject({ properties: z.record(z.string(), z.looseObject({ description: z.string() })) }),
    }),
  }),
});

/** A registration keeps what an item leaves out. `apply` sends the default. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  group: 'Whether it only groups what is below it: a folder without slots. Default false.',
  labels: 'Describes the resource, as key and value. Default: none.',
  afterUse: 'The condition of a slot after each use. Default ready.',
  bookable: 'Whether its slots can be booked for a time ahead. Default false.',
  attributes: 'Comes with the hold of a slot. Absent, they stay as they are; {} removes them. No place for passwords.',
  slotAttributes: 'The same for each slot, in order. Absent, they stay as they are; [] removes them.',
};

/** A registration passes over these: they are there in a listed definition. */
const COUNTS = new Set(['outOfService', 'dirty']);

/** @param document the OpenAPI description */
export function labSchema(document: unknown): string {
  const { Registration } = Document.parse(document).components.schemas;
  const fields = Object.entries(Registration.properties).filter(([name]) => !COUNTS.has(name));
  const properties = fields.map(([name, { example, description, ...rules }]) => {
    const examples = example === undefined ? {} : { examples: [example] };
    return [name, { ...rules, description: DESCRIPTIONS[name] ?? description, ...examples }];
  });
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Resources for `holdfast apply`',
    type: 'array',
    minItems: 1,
    items: { ...Registration, properties: Object.fromEntries(properties) },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
