/**
 * The fields that requests are made of, and their rules (docs/specification.md#names-and-sizes), as schemas that
 * validate, type and document at once. A fault's message is the end of the sentence that http/errors.ts begins with the
 * field's name.
 */
import { z } from '@hono/zod-openapi';
import { nameFault, SYSTEM_REQUESTER_PREFIX } from '../domain/names.ts';
import { PATH_DELIMITER } from '../domain/resources.ts';
import type { Sizes } from '../domain/sizes.ts';
import { MAX_LABEL_LENGTH } from '../domain/tenants.ts';
import { nearest } from './nearest.ts';

/** The message for a value of the wrong type, or for none at all. */
const must = (rule: string) => (issue: { input: unknown }) =>
  issue.input === undefined ? 'is required' : `must be ${rule}`;

/** A string that nameFault finds nothing wrong with. */
const name = (maxLength: number) =>
  z
    .string({ error: must('a string') })
    .superRefine((text, context) => {
      const fault = nameFault(text, maxLength);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault });
    })
    .openapi({ minLength: 1, maxLength });

export const keyLabel = name(MAX_LABEL_LENGTH).openapi({
  description: 'Shown as `apiKeyLabel` in events that come of the key.',
  example: 'worker',
});

export const resourceName = (sizes: Sizes) =>
  name(sizes.nameLength).openapi({ description: 'The name of the resource.', example: 'printer' });

export const requesterName = (sizes: Sizes) =>
  name(sizes.nameLength)
    .refine((text) => !text.startsWith(SYSTEM_REQUESTER_PREFIX), `must not start with ${SYSTEM_REQUESTER_PREFIX}`)
    .openapi({ description: 'Who makes the reservation: a name of your choice.', example: 'worker-1' });

export const resourceType = (sizes: Sizes) =>
  name(sizes.typeLength)
    .optional()
    .openapi({ description: 'A tag of your choice, shown again in events. Default `UserDefined`.', example: 'Device' });

export const ttlSeconds = (sizes: Sizes) =>
  z
    .int({ error: must('an integer greater than 0') })
    .min(1, 'must be an integer greater than 0')
    .max(sizes.ttlSeconds, `must be at most ${sizes.ttlSeconds}`)
    .openapi({ description: 'The lease, in seconds; without it the reservation never expires.', example: 30 });

/** Anything: what is no reservation's token is answered item by item, not with a 400. */
export const releaseToken = z
  .unknown()
  .optional()
  .transform((token) => (typeof token === 'string' ? token : undefined))
  .openapi({
    type: 'string',
    description: 'The token that the reserve call returned.',
    example: '3f6c0b5e-6f0a-4c3e-9a55-0d1c7a2b9e11',
  });

const ofResult = z
  .unknown()
  .optional()
  .openapi({ description: 'Ignored: a result of a reserve call may be sent as it is.' });

/** What a reserve result has besides what is needed to release or renew it. */
export const reserveResultFields = {
  status: ofResult,
  explanation: ofResult,
  expiresAt: ofResult,
  acquiredSlots: ofResult,
  acquiredBlockers: ofResult,
  reservedAtPath: ofResult,
  fencingToken: ofResult,
};

/**
 * Bytes of UTF-8 of a resource's blockers together, and of its path: every look at the resource, or list of it, costs
 * as much.
 */
const MAX_BLOCKS_BYTES = 8192;
const MAX_PATH_BYTES = 4096;
const bytesOf = (names: readonly string[]) => names.reduce((sum, name) => sum + Buffer.byteLength(name), 0);

/** A path of a URL loses these, so they could never be deleted. */
const UNREACHABLE = new Set(['.', '..']);

export const registeredName = (sizes: Sizes) =>
  name(sizes.nameLength)
    .refine((text) => !text.includes(PATH_DELIMITER), `must not contain ${PATH_DELIMITER}`)
    .refine((text) => !UNREACHABLE.has(text), 'must not be . or ..: a URL cannot name it')
    .openapi({ description: 'The name of the resource.', example: 'printers' });

export const capacity = (sizes: Sizes) =>
  z
    .int({ error: must(`an integer from 1 to ${sizes.capacity}`) })
    .min(1, `must be an integer from 1 to ${sizes.capacity}`)
    .max(sizes.capacity, `must be an integer from 1 to ${sizes.capacity}`)
    .openapi({ description: 'How many slots it has. Default 1.', example: 3 });

export const blocks = (sizes: Sizes) =>
  z
    .array(name(sizes.nameLength), { error: must('an array of names') })
    .max(sizes.blocks, `must hold at most ${sizes.blocks} names`)
    .refine((names) => new Set(names).size === names.length, 'must not hold a name twice')
    .refine((names) => bytesOf(names) <= MAX_BLOCKS_BYTES, `must come to at most ${MAX_BLOCKS_BYTES} bytes of names`)
    .openapi({ description: 'What is acquired along with it.', example: ['ink'] });

/** Gives the segments. */
export const treePath = (sizes: Sizes) =>
  z
    .string({ error: must('a string') })
    .superRefine((path, context) => {
      const segments = path.split(PATH_DELIMITER, sizes.treeDepth + 1);
      const refuse = (message: string) => context.addIssue({ code: 'custom', message });
      if (segments.length > sizes.treeDepth) return refuse(`must have 1 to ${sizes.treeDepth} segments`);
      if (Buffer.byteLength(path) > MAX_PATH_BYTES) return refuse(`must have at most ${MAX_PATH_BYTES} bytes`);
      const fault = segments.map((segment) => nameFault(segment, sizes.nameLength)).find((one) => one !== null);
      if (segments.some((segment) => UNREACHABLE.has(segment))) return refuse('must not name . or ..');
      if (fault !== undefined) refuse(`has a segment that ${fault}`);
      else if (new Set(segments).size < segments.length) refuse('must not name a resource twice');
    })
    .transform((path) => path.split(PATH_DELIMITER))
    .openapi({ type: 'string', description: 'What is above it, from the root down.', example: 'House>Floor1' });

/** A request's body: an array of items, checked whole before anything is done. */
export const batch = <Item extends z.ZodType>(item: Item, sizes: Sizes) => {
  const rule = `an array of 1 to ${sizes.batch} items`;
  return z
    .array(item, { error: must(rule) })
    .min(1, `must be ${rule}`)
    .max(sizes.batch, `must be ${rule}`);
};

/** What becomes of a field that an object of a request does not have. */
export type UnknownFields = 'refuse' | 'ignore';

/** An object of a request. */
export const item = <Shape extends z.core.$ZodShape>(shape: Shape, unknownFields: UnknownFields) => {
  const known = Object.keys(shape).filter((field) => !(field in reserveResultFields));
  const error: z.core.$ZodErrorMap = (issue) => {
    if (issue.code !== 'unrecognized_keys') return must('an object')(issue);
    const meant = nearest(String(issue.keys[0]), known);
    return `is not a known field; ${meant === null ? `the known ones are ${known.join(', ')}` : `did you mean ${meant}?`}`;
  };
  return unknownFields === 'refuse' ? z.strictObject(shape, { error }) : z.object(shape, { error });
};

/** A time in an answer. */
export const time = z.iso.datetime().openapi({ description: 'ISO 8601, UTC.', example: '2026-01-31T12:00:30.000Z' });
