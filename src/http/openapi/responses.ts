/**
 * The responses in the OpenAPI document that several operations share: failures (docs/specification.md#errors), what an
 * Idempotency-Key brings about, and the headers of every call.
 */
import { z } from '@hono/zod-openapi';
import { Code, Failure, LimitReached } from '../../contract/errors.ts';
import type { FailureCode } from '../../domain/errors.ts';
import { MAX_KEY_LENGTH } from '../../domain/idempotency.ts';
import { WAITING_HEADER } from '../call/longPoll.ts';
import type { Operation } from '../call/operation.ts';
import { REPLAYED_HEADER } from '../call/reply.ts';
import { CODE_HEADER } from '../errors.ts';

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

/**
 * The parts of the OpenAPI document for operations that take an Idempotency-Key
 * (docs/specification.md#repeating-safely).
 */
export const IdempotencyHeaders = z.object({
  'Idempotency-Key': z.string().min(1).max(MAX_KEY_LENGTH).optional().meta({
    description:
      'A key of your choice for this one request: visible ASCII characters, best a UUID. If the same request is sent again with the same key within 10 minutes, it is not carried out again, and its response is the first one, as it was then.',
    example: '0c9bd3a6-7f3e-4a6b-9d0a-5a1f6d8b2c11',
  }),
});

const mismatch = {
  error: 'Another request has been sent with this Idempotency-Key. Send a new key.',
  code: 'IDEMPOTENCY_MISMATCH',
} as const;

/** The responses to requests whose Idempotency-Key was used before. */
const conflict = {
  description:
    'This call did nothing, since the Idempotency-Key was used before: for another request (`IDEMPOTENCY_MISMATCH`), for this one, which still runs (`REQUEST_RUNNING`, with `Retry-After`), or for this one, which was carried out, with a response too long to be kept (`RESPONSE_NOT_KEPT`).',
  content: { 'application/json': { schema: Failure, example: mismatch } },
  headers: z.object({
    'Retry-After': z.string().optional().meta({ description: 'Seconds to wait, if the first one still runs.' }),
  }),
};

const Replayed = z.object({
  [REPLAYED_HEADER]: z
    .literal('true')
    .optional()
    .meta({ description: 'Set if this is the response to an earlier request with the same Idempotency-Key.' }),
});

/** Adds to the responses of an operation what an Idempotency-Key can bring about. */
export function withRepeats(responses: Operation['responses']): Operation['responses'] {
  const { 200: done } = responses;
  if (done === undefined || '$ref' in done) return { ...responses, 409: conflict };
  const headers = done.headers instanceof z.ZodObject ? done.headers.extend(Replayed.shape) : Replayed;
  return { ...responses, 200: { ...done, headers }, 409: conflict };
}

/**
 * The response headers of every call of the API, for the OpenAPI document: written once, and referred to by each
 * response.
 */
const COMMON_HEADERS = {
  'X-Request-Id': {
    description:
      'Names the request in the log. It is the one that the caller sent, or a new one. Refusals of an overloaded instance have none.',
    schema: { type: 'string' },
    example: '5f0c1a52-8a8e-4f2f-9a7c-9b110d9b4f4e',
  },
  'RateLimit-Policy': {
    description:
      'The limits that the request counts against: `q` requests in `w` seconds. Left out if nothing is limited.',
    schema: { type: 'string' },
    example: '"OperationsPerMinute";q=300;w=60',
  },
  RateLimit: {
    description: 'What is left of these limits: `r` requests for the next `t` seconds.',
    schema: { type: 'string' },
    example: '"OperationsPerMinute";r=299;t=60',
  },
} as const;

const refs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The part of the document that gets the headers. */
interface WrittenDocument {
  components: { headers?: object };
  paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>;
}

/** Adds the headers to a document that the generator has just made. */
export function withCommonHeaders<Given extends object>(document: Given): Given {
  const { components, paths } = document as unknown as WrittenDocument;
  components.headers = COMMON_HEADERS;
  for (const [path, methods] of Object.entries(paths)) {
    const isCharged = path.startsWith('/api/v1/') && !path.startsWith('/api/v1/admin/');
    for (const { responses } of Object.values(methods))
      for (const [status, response] of Object.entries(responses)) {
        const limits = isCharged && /^(2..|429)$/.test(status) ? ['RateLimit-Policy', 'RateLimit'] : [];
        response.headers = { ...response.headers, ...refs(['X-Request-Id', ...limits]) };
      }
  }
  return document;
}
