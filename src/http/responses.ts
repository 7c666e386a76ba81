/**
 * The answers that every operation can give besides its own (docs/specification.md#errors), as documentation.
 */
import { z } from '@hono/zod-openapi';
import { FAILURE_CODES, type FailureCode } from '../domain/errors.ts';
import { CODE_HEADER } from './errors.ts';

const Code = z
  .enum(FAILURE_CODES)
  .openapi('FailureCode', { description: 'Tells failures apart. It stays the same when the message changes.' });

/** What any failure but a malformed request is told by. */
export const Failure = z.object({ error: z.string(), code: Code }).openapi('Failure');

const failure = (description: string, code: FailureCode, error: string) => ({
  description,
  content: { 'application/json': { schema: Failure, example: { error, code } } },
});

/** Of an operation on something registered. */
export const unregistered = {
  404: failure('No such resource is registered.', 'NOT_REGISTERED', 'No such resource is registered.'),
};

/** Of an operation on something of the tenant's, or a tenant. */
export const unknown = { 404: failure('There is no such thing.', 'NOT_FOUND', 'There is no such key.') };

const malformed = {
  400: {
    description: 'The request is malformed: the item and the field, and what is wrong with it. Nothing was done.',
    content: {
      'application/json': { schema: z.string(), example: '[3].ttlSeconds must be an integer greater than 0' },
    },
    headers: z.object({ [CODE_HEADER]: Code }),
  },
};

const LimitReached = z
  .object({
    error: z.string(),
    code: Code,
    tier: z.string().nullable(),
    limit: z.int(),
    retryAfter: z.int().openapi({ description: 'Seconds to wait.' }),
    upgradeRequired: z.boolean().openapi({ description: 'Whether a higher tier would have allowed it.' }),
    limitType: z.string().openapi({ example: 'EventConnections' }),
  })
  .openapi('LimitReached');

const limited = {
  429: {
    description: 'A limit of the tier is reached, or too many authentications from this address have failed.',
    content: { 'application/json': { schema: LimitReached } },
    headers: z.object({ 'Retry-After': z.string().openapi({ description: 'Seconds to wait.', example: '5' }) }),
  },
};

/** Of anything that needs a key. */
export const anyOperation = {
  ...limited,
  401: failure('The API key is missing or not valid.', 'UNAUTHENTICATED', 'The X-Api-Key header holds no valid key.'),
  403: failure(
    'Not with this key, token or session; or the tenant is suspended.',
    'FORBIDDEN',
    'This takes a session of the dashboard.',
  ),
  500: failure('A fault of the service.', 'INTERNAL', 'Internal error.'),
  503: {
    ...failure(
      'The reservation store cannot be reached, and the outcome is unknown; or the instance has more to do than it can, and nothing was done. Repeat the call.',
      'UNAVAILABLE',
      'The reservation store cannot be reached.',
    ),
    headers: z.object({ 'Retry-After': z.string().openapi({ description: 'Seconds to wait.', example: '1' }) }),
  },
};

/** Of an operation with parameters in its path or query. */
export const parameterOperation = { ...malformed, ...anyOperation };

/** Of an operation with a body. */
export const bodyOperation = {
  ...parameterOperation,
  408: failure('The body did not arrive in time.', 'BODY_TIMEOUT', 'The request body did not arrive in time.'),
  413: failure('The body is too large.', 'BODY_TOO_LARGE', 'The request body is larger than 1048576 bytes.'),
  415: failure('The body is not JSON.', 'UNSUPPORTED_MEDIA_TYPE', 'The request body must be application/json.'),
};

/** An answer of the operation's own. */
export const answer = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  description,
  content: { 'application/json': { schema } },
});
