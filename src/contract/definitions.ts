/**
 * Definitions of resources: the requests that register and delete them, and their results
 * (docs/specification.md#resources, #registration).
 */
import { z } from 'zod';
import { nameFault, utf8Length } from '../domain/names.ts';
import { PATH_DELIMITER } from '../domain/resources.ts';
import { batch, item, must, name, resourceName } from './fields.ts';
import { sized } from './sizes.ts';

/** Bytes of UTF-8 of all blockers of a resource, and of its path: each read of the resource costs as much. */
const MAX_BLOCKS_BYTES = 8192;
const MAX_PATH_BYTES = 4096;

/** A URL's path drops these segments, so a resource of such a name could never be deleted. */
const UNREACHABLE = new Set(['.', '..']);

const registeredName = sized(({ nameLength }) =>
  name(nameLength)
    .refine((text) => !text.includes(PATH_DELIMITER), `must not contain ${PATH_DELIMITER}`)
    .refine((text) => !UNREACHABLE.has(text), 'must not be . or ..: a URL cannot name it')
    .meta({ description: 'The name of the resource.', example: 'printers' }),
);

const capacity = sized((sizes) => {
  const rule = `an integer from 1 to ${sizes.capacity}`;
  return z
    .int({ error: must(rule) })
    .min(1, `must be ${rule}`)
    .max(sizes.capacity, `must be ${rule}`)
    .meta({ description: 'The number of slots. Default 1.', example: 3 });
});

const bytesOf = (names: readonly string[]) => names.reduce((sum, one) => sum + utf8Length(one), 0);

const blocks = sized((sizes) =>
  z
    .array(name(sizes.nameLength), { error: must('an array of names') })
    .max(sizes.blocks, `must hold at most ${sizes.blocks} names`)
    .refine((names) => new Set(names).size === names.length, 'must not hold a name twice')
    .refine((names) => bytesOf(names) <= MAX_BLOCKS_BYTES, `must come to at most ${MAX_BLOCKS_BYTES} bytes of names`)
    .meta({ description: 'Resources that are acquired along with this one.', example: ['ink'] }),
);

const treePath = sized((sizes) =>
  z
    .string({ error: must('a string') })
    .superRefine((path, context) => {
      const segments = path.split(PATH_DELIMITER, sizes.treeDepth + 1);
      const refuse = (message: string) => context.addIssue({ code: 'custom', message });
      if (segments.length > sizes.treeDepth) return refuse(`must have 1 to ${sizes.treeDepth} segments`);
      if (utf8Length(path) > MAX_PATH_BYTES) return refuse(`must have at most ${MAX_PATH_BYTES} bytes`);
      const fault = segments.map((segment) => nameFault(segment, sizes.nameLength)).find((one) => one !== null);
      if (segments.some((segment) => UNREACHABLE.has(segment))) return refuse('must not name . or ..');
      if (fault !== undefined) refuse(`has a segment that ${fault}`);
      else if (new Set(segments).size < segments.length) refuse('must not name a resource twice');
    })
    .meta({ description: 'The ancestors, from the root down.', example: 'House>Floor1' }),
);

const ITSELF = 'must not name the resource itself';

/** Optional fields may be null, so that a definition can be registered again as it is listed. */
export const Registration = item({
  name: registeredName,
  capacity: capacity.nullish().transform((slots) => slots ?? 1),
  blocks: blocks.nullish().transform((names) => names ?? []),
  treePath: treePath.nullish().transform((path) => path ?? null),
})
  .refine((one) => !one.blocks.includes(one.name), { path: ['blocks'], message: ITSELF })
  .refine((one) => !one.treePath?.split(PATH_DELIMITER).includes(one.name), { path: ['treePath'], message: ITSELF })
  .meta({ id: 'Registration' });

export const RegisterBody = batch(Registration);

export const Definition = z
  .object({
    name: z.string(),
    capacity: z.int(),
    blocks: z.array(z.string()),
    treePath: z.string().nullable().meta({ description: 'The ancestors, from the root down; null for a root.' }),
  })
  .meta({ id: 'Definition' });
export type Definition = z.output<typeof Definition>;

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

export const Deleted = z.object({ deleted: z.array(z.string()) }).meta({ id: 'Deleted' });

export interface TreeNode {
  name: string;
  path: string;
  capacity: number;
  available: number;
  waiting: number;
  children: TreeNode[];
}

export const TreeNode: z.ZodType<TreeNode> = z
  .object({
    name: z.string(),
    path: z.string().meta({ description: 'From the root down, its own name included.', example: 'House>Floor1' }),
    capacity: z.int(),
    available: z.int().meta({ description: 'Free slots.' }),
    waiting: z.int().meta({ description: 'The number of requests that wait for it.' }),
    children: z.array(z.lazy(() => TreeNode)).meta({
      type: 'array',
      items: { $ref: '#/components/schemas/TreeNode' },
    }),
  })
  .meta({ id: 'TreeNode' });
