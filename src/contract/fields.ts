/**
 * The fields that requests and results are made of, and their rules (docs/specification.md#names-and-sizes). A fault's
 * message is the end of a sentence that starts with the field's name.
 */
import { z } from 'zod';
import { MAX_NAME_LENGTH, MAX_NOTE_LENGTH, MAX_TYPE_LENGTH, type Sizes } from '../domain/maxSizes.ts';
import { nameFault, noteFault, SYSTEM_REQUESTER_PREFIX, TENANT_ID } from '../domain/names.ts';
import { nearest } from '../domain/nearest.ts';
import { MODES } from '../domain/reservations.ts';

/** The part of the configuration that schemas depend on. */
export interface Rules {
  readonly sizes: Sizes;
}

/** A schema, or one that depends on sizes. */
export type Sized<Schema extends z.ZodType> = Schema | ((sizes: Sizes) => Schema);

/** Returns the schema for an instance. */
export const forSizes = <Schema extends z.ZodType>(schema: Sized<Schema>, sizes: Sizes): Schema =>
  typeof schema === 'function' ? schema(sizes) : schema;

/** The message for a missing value, or for one of the wrong type. */
export const must = (rule: string) => (issue: { input: unknown }) =>
  issue.input === undefined ? 'is required' : `must be ${rule}`;

/**
 * Returns the arguments of refine(), which refuse a text that has a fault. superRefine() would make objects for every
 * text, also for those of 500 items.
 * @param faultOf returns the message; null: it has none
 */
export const byRule = (
  faultOf: (text: string) => string | null,
): [(text: string) => boolean, { error: (issue: { input: unknown }) => string }] => [
  (text) => faultOf(text) === null,
  { error: ({ input }) => faultOf(String(input)) ?? '' },
];

/** A string that nameFault() accepts. */
export const name = (maxLength: number) =>
  z
    .string({ error: must('a string') })
    .refine(...byRule((text) => nameFault(text, maxLength)))
    .meta({ minLength: 1, maxLength });

export const resourceName = name(MAX_NAME_LENGTH).meta({
  description: 'The name of the resource.',
  example: 'printer',
});

export const requesterName = name(MAX_NAME_LENGTH)
  .refine((text) => !text.startsWith(SYSTEM_REQUESTER_PREFIX), `must not start with ${SYSTEM_REQUESTER_PREFIX}`)
  .meta({
    description:
      'Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out.',
    example: 'worker-1',
  });

export const resourceType = name(MAX_TYPE_LENGTH).meta({
  description: 'A tag of your choice, repeated in events. Default `UserDefined`.',
  example: 'Device',
});

export const note = z
  .string({ error: must('a string') })
  .refine(...byRule((text) => noteFault(text, MAX_NOTE_LENGTH)))
  .meta({
    maxLength: MAX_NOTE_LENGTH,
    description: 'Why it is reserved, for people: the purpose, a link to the build.',
    example: 'nightly build, https://ci.example.com/4711',
  });

export const heldNote = z.string().meta({ description: 'The `note` of the request that made the reservation.' });

export const ttlSeconds = (sizes: Pick<Sizes, 'ttlSeconds'>) =>
  z
    .int({ error: must('an integer greater than 0') })
    .min(1, 'must be an integer greater than 0')
    .max(sizes.ttlSeconds, `must be at most ${sizes.ttlSeconds}`)
    .meta({
      description:
        'The lease, in seconds. Without it the reservation never expires, unless the tenant has a default lease.',
      example: 30,
    });

const minTtlRule = 'must be an integer from 1 to ttlSeconds';

/** How much of the lease would do (docs/specification.md#leases-end-in-time). checkMinTtl() checks it. */
export const minTtlSeconds = z.int({ error: minTtlRule }).min(1, minTtlRule).meta({
  description:
    'Of a bookable resource: the lease may be cut to the start of the next booking if so many seconds are left. Default `ttlSeconds`.',
  example: 10,
});

interface Lease {
  readonly ttlSeconds?: number | undefined;
  readonly minTtlSeconds?: number | undefined;
}

/** Refuses a `minTtlSeconds` that is more than the lease, or has none beside it. */
export function checkMinTtl(
  { ttlSeconds, minTtlSeconds }: Lease,
  path: (string | number)[],
  refuse: (path: (string | number)[], message: string) => void,
): void {
  if (minTtlSeconds === undefined) return;
  if (ttlSeconds === undefined) refuse([...path, 'minTtlSeconds'], 'needs ttlSeconds');
  else if (minTtlSeconds > ttlSeconds) refuse([...path, 'minTtlSeconds'], minTtlRule);
}

/** The id of a session that reservations last as long as. */
export const sessionId = z
  .uuid({ error: must('the id of a session') })
  .meta({ description: 'The id of a session.', example: '0d9b4f4e-3c1f-4b52-8a8e-6f2f0a7c9b11' });

export const mode = z
  .enum(MODES, `must be one of ${MODES.join(', ')}`)
  .meta({ description: 'SHARED: others may hold it SHARED too, and nobody EXCLUSIVE. Default EXCLUSIVE.' });

export const count = (sizes: Sizes) => {
  const rule = `an integer from 1 to ${sizes.batch}`;
  return z
    .int({ error: must(rule) })
    .min(1, `must be ${rule}`)
    .max(sizes.batch, `must be ${rule}`)
    .meta({
      description: 'How many slots of a pool to take, all of them or none. Default 1. Each counts as one item.',
      example: 3,
    });
};

/** Any value: a token that is wrong or missing fails its own item, not the request. */
export const releaseToken = z
  .unknown()
  .transform((token) => (typeof token === 'string' ? token : null))
  .optional()
  .meta({
    type: 'string',
    description: 'The token that the reserve call returned.',
    example: '3f6c0b5e-6f0a-4c3e-9a55-0d1c7a2b9e11',
  });

/** A field that a request may have and that has no effect. */
export const ignored = z
  .unknown()
  .optional()
  .meta({ description: 'Ignored, so that a result of a reserve call can be sent as it is.' });

/**
 * An object of a request. Its message for an unknown field suggests the field that was probably meant.
 * @param ignoredFields fields that are accepted but not suggested
 */
export const item = <Shape extends z.core.$ZodShape>(shape: Shape, ignoredFields: object = {}) => {
  const known = Object.keys(shape).filter((field) => !(field in ignoredFields));
  const error: z.core.$ZodErrorMap = (issue) => {
    if (issue.code !== 'unrecognized_keys') return must('an object')(issue);
    const meant = nearest(String(issue.keys[0]), known);
    return `is not a known field; ${meant === null ? `the known ones are ${known.join(', ')}` : `did you mean ${meant}?`}`;
  };
  return z.strictObject(shape, { error });
};

/**
 * The items of a request: validated as a whole before anything is done.
 * @param check checks the rules between the items
 */
export const batch =
  <Item extends z.ZodType>(
    one: Sized<Item>,
    check?: (items: z.output<Item>[], sizes: Sizes, context: z.RefinementCtx) => void,
  ) =>
  (sizes: Sizes) => {
    const rule = `an array of 1 to ${sizes.batch} items`;
    const items = z
      .array(forSizes(one, sizes), { error: must(rule) })
      .min(1, `must be ${rule}`)
      .max(sizes.batch, `must be ${rule}`);
    return check === undefined ? items : items.superRefine((all, context) => check(all, sizes, context));
  };

/**
 * Checks that the slots of a request's items are no more than a request may have items.
 * @param pathOf the path of an item
 */
export function checkCounts(
  items: readonly { readonly count?: number | undefined }[],
  { batch }: Pick<Sizes, 'batch'>,
  pathOf: (index: number) => (string | number)[],
  refuse: (path: (string | number)[], message: string) => void,
): void {
  let slots = 0;
  const at = items.findIndex(({ count = 1 }) => {
    slots += count;
    return slots > batch;
  });
  if (at >= 0 && slots > batch) refuse([...pathOf(at), 'count'], `must leave at most ${batch} slots in the request`);
}

/** The label of the key that made a request. */
export const apiKeyLabel = z.string().nullable().meta({
  description: 'The label of the API key that made the request. Null: the key has none, or there was no key.',
});

/** A time in a response. */
export const time = z.iso.datetime().meta({ description: 'ISO 8601, UTC.', example: '2026-01-31T12:00:30.000Z' });

export const tenantId = z.string('must be a string').regex(TENANT_ID, 'must be the id of a tenant');

/** The longest page of a list. */
const MAX_PAGE = 500;

const pageRule = `must be an integer from 1 to ${MAX_PAGE}`;

const DAY_MS = 86_400_000;

/** A time in a request at which something ends. */
export const futureTime = (maxDays: number) => {
  const rule = `a time in the future, at most ${maxDays} days ahead, such as 2026-01-31T12:00:00Z`;
  return z.iso
    .datetime({ offset: true, error: must(rule) })
    .transform((text) => new Date(text))
    .refine((at) => at.getTime() > Date.now() && at.getTime() <= Date.now() + maxDays * DAY_MS, {
      error: `must be ${rule}`,
    });
};

/** The query parameter `limit` of lists with a cursor. */
export const pageLimit = z
  .string()
  .regex(/^\d{1,4}$/, pageRule)
  .default('50')
  .transform(Number)
  .pipe(z.number().min(1, pageRule).max(MAX_PAGE, pageRule))
  .meta({ type: 'integer', minimum: 1, maximum: MAX_PAGE, default: 50, description: 'The size of a page.' });

/** A time in a query: the bound of a list. */
export const instant = z.iso
  .datetime({ offset: true, error: 'must be a time as 2026-01-31T12:00:00Z' })
  .transform((text) => new Date(text))
  // The database knows no time before or after these years.
  .refine((at) => at.getUTCFullYear() >= 1970 && at.getUTCFullYear() <= 9998, 'must be in the years 1970 to 9998')
  .optional();

/** The parameter `format` of a query, which takes precedence over the Accept header. */
export const listFormat = (rows: string) =>
  z
    .enum(['json', 'csv'], 'must be json or csv')
    .optional()
    .meta({ description: `\`csv\`: all ${rows} as CSV, as with \`Accept: text/csv\`.` });
