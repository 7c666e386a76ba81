/**
 * Definitions of resources: the requests that register and delete them, and their results
 * (docs/specification.md#resources, #registration).
 */
import { z } from 'zod';
import { AFTER_USE, ASKED_CONDITIONS } from '../domain/conditions.ts';
import { MAX_BLOCKS, MAX_CAPACITY, MAX_LABELS, MAX_NAME_LENGTH, MAX_TREE_DEPTH } from '../domain/maxSizes.ts';
import { LABEL, LABEL_KEY, labelFault, nameFault, PATH_DELIMITER, utf8Length } from '../domain/names.ts';
import { attributes, checkAttributes, definedAttributes, slotAttributes } from './attributes.ts';
import { afterUse, notReadyCounts } from './conditions.ts';
import { batch, item, must, name, resourceName, time } from './fields.ts';

/** Bytes of UTF-8 of all blockers of a resource, and of its path: each read of the resource costs as much. */
const MAX_BLOCKS_BYTES = 8192;
const MAX_PATH_BYTES = 4096;

/** A URL's path drops these segments, so a resource of such a name could never be deleted. */
const UNREACHABLE = new Set(['.', '..']);

const registeredName = name(MAX_NAME_LENGTH)
  .refine((text) => !text.includes(PATH_DELIMITER), `must not contain ${PATH_DELIMITER}`)
  .refine((text) => !UNREACHABLE.has(text), 'must not be . or ..: a URL cannot name it')
  .meta({ description: 'The name of the resource.', example: 'printers' });

const capacityRule = `an integer from 1 to ${MAX_CAPACITY}`;

const capacity = z
  .int({ error: must(capacityRule) })
  .min(1, `must be ${capacityRule}`)
  .max(MAX_CAPACITY, `must be ${capacityRule}`)
  .meta({ description: 'The number of slots. Default 1.', example: 3 });

const bytesOf = (names: readonly string[]) => names.reduce((sum, one) => sum + utf8Length(one), 0);

const blocks = z
  .array(name(MAX_NAME_LENGTH), { error: must('an array of names') })
  .max(MAX_BLOCKS, `must hold at most ${MAX_BLOCKS} names`)
  .refine((names) => new Set(names).size === names.length, 'must not hold a name twice')
  .refine((names) => bytesOf(names) <= MAX_BLOCKS_BYTES, `must come to at most ${MAX_BLOCKS_BYTES} bytes of names`)
  .meta({ description: 'Resources that are acquired along with this one.', example: ['ink'] });

const treePath = z
  .string({ error: must('a string') })
  .superRefine((path, context) => {
    const segments = path.split(PATH_DELIMITER, MAX_TREE_DEPTH + 1);
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (segments.length > MAX_TREE_DEPTH) return refuse(`must have 1 to ${MAX_TREE_DEPTH} segments`);
    if (utf8Length(path) > MAX_PATH_BYTES) return refuse(`must have at most ${MAX_PATH_BYTES} bytes`);
    const fault = segments.map((segment) => nameFault(segment, MAX_NAME_LENGTH)).find((one) => one !== null);
    if (segments.some((segment) => UNREACHABLE.has(segment))) return refuse('must not name . or ..');
    if (fault !== undefined) refuse(`has a segment that ${fault}`);
    else if (new Set(segments).size < segments.length) refuse('must not name a resource twice');
  })
  .meta({ description: 'The ancestors, from the root down.', example: 'House>Floor1' });

/** Checks labels. They are not a record of the schema library, which would drop the key `__proto__`. */
const labels = z
  .unknown()
  .transform((value, context): Readonly<Record<string, string>> => {
    const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', message, path });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('must be an object of texts');
    const pairs = Object.entries(value ?? {});
    if (pairs.length > MAX_LABELS) refuse(`must hold at most ${MAX_LABELS} labels`);
    for (const [key, text] of pairs.slice(0, MAX_LABELS)) {
      if (!LABEL_KEY.test(key)) refuse('must have keys of 1 to 64 letters, digits and the characters . _ / -');
      const fault = typeof text === 'string' ? labelFault(text) : 'must be a string';
      if (fault !== null) refuse(fault, [key]);
    }
    return Object.fromEntries(pairs);
  })
  .meta({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 128 },
    maxProperties: MAX_LABELS,
    description: 'Describes the resource, as key and value. Absent, its labels stay as they are; {} removes them.',
    example: { os: 'android' },
  });

const group = z.boolean({ error: must('true or false') }).meta({
  description: 'Whether it only groups what is below it: a folder without slots. Absent, this stays as it is.',
});

const groups = z
  .boolean({ error: must('true or false') })
  .meta({ description: 'Whether missing ancestors are registered as groups, instead of with capacity 1.' });

const ITSELF = 'must not name the resource itself';

const bookable = z.boolean({ error: must('true or false') }).meta({
  description:
    'Whether its slots can be booked for a time ahead. Absent, this stays as it is; at first false. Set it once all instances of the service know it.',
});

/** A field of a listed definition that a registration has no use for. */
const listed = z
  .unknown()
  .transform(() => undefined)
  .optional()
  .meta({ description: 'Ignored, so that a definition can be registered again as it is listed.' });
const listedFields = { outOfService: listed, dirty: listed };

const fields = {
  name: registeredName,
  capacity: capacity.nullish().transform((slots) => slots ?? null),
  blocks: blocks.nullish().transform((names) => names ?? []),
  treePath: treePath.nullish().transform((path) => path ?? null),
  group: group.nullish().transform((isGroup) => isGroup ?? undefined),
  labels: labels.nullish().transform((pairs) => pairs ?? undefined),
  groups: groups.nullish().transform((areGroups) => areGroups ?? undefined),
  afterUse: afterUse.nullish().transform((one) => one ?? undefined),
  attributes: attributes.nullish().transform((set) => set ?? undefined),
  slotAttributes: slotAttributes.nullish().transform((sets) => sets ?? undefined),
  bookable: bookable.nullish().transform((isBookable) => isBookable ?? undefined),
};

/** Optional fields may be null, so that a definition can be registered again as it is listed. */
export const Registration = item({ ...fields, ...listedFields }, listedFields)
  .superRefine((one, context) =>
    checkAttributes(one, one.group === true ? 0 : (one.capacity ?? 1), (path, message) =>
      context.addIssue({ code: 'custom', path, message }),
    ),
  )
  .refine((one) => one.group !== true || one.afterUse !== 'dirty', {
    path: ['afterUse'],
    message: 'must not be dirty for a group, which has no slots',
  })
  .refine((one) => one.group !== true || one.bookable !== true, {
    path: ['bookable'],
    message: 'must not be true for a group, which has no slots',
  })
  .refine((one) => one.bookable !== true || one.blocks.length === 0, {
    path: ['blocks'],
    message: 'must be empty for a bookable resource',
  })
  .refine((one) => one.group !== true || one.capacity === null, {
    path: ['capacity'],
    message: 'must not be given for a group, which has no slots',
  })
  .refine((one) => one.group !== true || one.blocks.length === 0, {
    path: ['blocks'],
    message: 'must be empty for a group, which takes no slots',
  })
  .refine((one) => !one.blocks.includes(one.name), { path: ['blocks'], message: ITSELF })
  .refine((one) => !one.treePath?.split(PATH_DELIMITER).includes(one.name), { path: ['treePath'], message: ITSELF })
  .meta({ id: 'Registration' });

export const RegisterBody = batch(Registration);

const isGroup = z.boolean().optional().meta({ description: 'True for a group; left out for others.' });
const someLabels = z
  .record(z.string(), z.string())
  .optional()
  .meta({ description: 'Its labels; left out if it has none.', example: { os: 'android' } });

export const Definition = z
  .object({
    name: z.string().meta({ description: 'The name of the resource.' }),
    capacity: z.int().nullable().meta({ description: 'The number of slots; null for a group.' }),
    blocks: z.array(z.string()).meta({ description: 'Resources that are taken along with this one.' }),
    treePath: z.string().nullable().meta({ description: 'The ancestors, from the root down; null for a root.' }),
    group: isGroup,
    labels: someLabels,
    afterUse: z
      .enum(AFTER_USE)
      .optional()
      .meta({ description: 'The condition of its slots after a reservation; left out if that is `ready`.' }),
    ...definedAttributes,
    bookable: z.boolean().optional().meta({ description: 'True if its slots can be booked; left out for others.' }),
    ...notReadyCounts,
  })
  .meta({ id: 'Definition' });
export type Definition = z.output<typeof Definition>;

/**
 * An item to register. A capacity of null is the default. A group, labels, afterUse, attributes or bookable that are
 * absent leave what is there.
 */
export type Registration = Definition & Partial<Omit<z.output<typeof Registration>, keyof Definition>>;

export const DefinitionsQuery = z.object({
  label: z
    .string('must be one label')
    .regex(LABEL, 'must be <key>=<value>')
    .optional()
    .meta({ description: 'Lists only the resources that have this label.', example: 'os=android' }),
  condition: z
    .enum(ASKED_CONDITIONS, `must be one of ${ASKED_CONDITIONS.join(', ')}`)
    .optional()
    .meta({ description: 'Lists only the resources that have a slot in this condition.', example: 'out' }),
});

/** The path of a request for one resource. */
export const ResourceParams = z.object({ resource: resourceName });
export const NameParams = z.object({ name: resourceName });

export const DeleteQuery = z.object({
  cascade: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((text) => text === 'true')
    .meta({ type: 'boolean', description: 'Also delete all resources below it in the tree.' }),
});

export const Deleted = z
  .object({ deleted: z.array(z.string()).meta({ description: 'The names of the resources that were deleted.' }) })
  .meta({ id: 'Deleted' });

export interface TreeNode {
  name: string;
  path: string;
  capacity: number | null;
  available: number | null;
  waiting: number;
  group?: true | undefined;
  labels?: Readonly<Record<string, string>> | undefined;
  outOfService?: number | undefined;
  dirty?: number | undefined;
  bookedFrom?: string | undefined;
  children: TreeNode[];
}

export const TreeNode: z.ZodType<TreeNode> = z
  .object({
    name: z.string().meta({ description: 'The name of the resource.' }),
    path: z.string().meta({ description: 'From the root down, its own name included.', example: 'House>Floor1' }),
    capacity: z.int().nullable().meta({ description: 'The number of slots; null for a group.' }),
    available: z.int().nullable().meta({ description: 'Slots that are free and ready; null for a group.' }),
    waiting: z.int().meta({ description: 'The number of requests that wait for it.' }),
    group: z.literal(true).optional().meta({ description: 'True for a group; left out for others.' }),
    labels: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'Its labels; left out if it has none.', example: { os: 'android' } }),
    ...notReadyCounts,
    bookedFrom: time.optional().meta({
      description: 'From when on it is booked: of a pool, the latest of its free slots. Left out: never.',
    }),
    children: z.array(z.lazy(() => TreeNode)).meta({
      type: 'array',
      description: 'The resources below it, of the same shape.',
      items: { $ref: '#/components/schemas/TreeNode' },
    }),
  })
  .meta({ id: 'TreeNode' });
