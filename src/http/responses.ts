/**
 * The responses in the OpenAPI document that several operations share, mostly failures (docs/specification.md#errors).
 */
import { z } from '@hono/zod-openapi';
import { Code, Failure, LimitReached } from '../contract/errors.ts';
import type { FailureCode } from '../domain/errors.ts';
import { WAITING_HEADER } from './call/hold.ts';
import { CODE_HEADER } from './errors.ts';

const failure = (description: string, code: FailureCode, error: string) => ({
  description,
  content: { 'application/json': { schema: Failure, example: { error, code } } },
});

/** For operations on a registered resource. */
export const unregistered = {
  404: failure('No such resource is registered.', 'NOT_REGISTERED', 'No such resource is registered.'),
};

/** For operations on a key, an issuer or a tenant. */
export const unknown = { 404: failure('It does not exist.', 'NOT_FOUND', 'There is no such key.') };

const malformed = {
  400: {
    description: 'The request is malformed. The message names the item, the field and the fault. Nothing was done.',
    content: {
      'application/json': { schema: z.string(), example: '[3].ttlSeconds must be an integer greater than 0' },
    },
    headers: z.object({ [CODE_HEADER]: Code }),
  },
};

const limited = {
  429: {
    description: 'A limit of the tier is reached, or too many authentications from this address failed.',
    content: { 'application/json': { schema: LimitReached } },
    headers: z.object({ 'Retry-After': z.string().meta({ description: 'Seconds to wait.', example: '5' }) }),
  },
};

/** For every operation that needs a key. */
export const anyOperation = {
  ...limited,
  401: failure('The API key is missing or not valid.', 'UNAUTHENTICATED', 'The X-Api-Key header holds no valid key.'),
  403: failure(
    'This key, token or session may not do this, or the tenant is suspended.',
    'FORBIDDEN',
    'This takes a session of the dashboard.',
  ),
  500: failure('The service failed.', 'INTERNAL', 'Internal error.'),
  503: {
    ...failure(
      'Redis cannot be reached and the outcome is unknown, or the instance is overloaded and nothing was done. Retry.',
      'UNAVAILABLE',
      'The reservation store cannot be reached.',
    ),
    headers: z.object({ 'Retry-After': z.string().meta({ description: 'Seconds to wait.', example: '1' }) }),
  },
};

/** For operations with parameters in their path or query. */
export const parameterOperation = { ...malformed, ...anyOperation };

/** For operations with a body. */
export const bodyOperation = {
  ...parameterOperation,
  408: failure('The body did not arrive in time.', 'BODY_TIMEOUT', 'The request body did not arrive in time.'),
  413: failure('The body is too large.', 'BODY_TOO_LARGE', 'The request body is larger than 1048576 bytes.'),
  415: failure('The body is not JSON.', 'UNSUPPORTED_MEDIA_TYPE', 'The request body must be application/json.'),
};

/** The response of calls that may wait. */
export const waitingAnswer = <Schema extends z.ZodType>(schema: Schema) => ({
  ...answer('A result for each item, in the same order.', schema),
  headers: z.object({
    [WAITING_HEADER]: z
      .literal('true')
      .optional()
      .meta({ description: 'Set if something in the response is WAITING.' }),
  }),
});

/** A response with a JSON body. */
export function answer<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } };
}
