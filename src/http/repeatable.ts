/**
 * What the OpenAPI document says about operations that take an Idempotency-Key
 * (docs/specification.md#repeating-safely).
 */
import { z } from '@hono/zod-openapi';
import { Failure } from '../contract/errors.ts';
import { MAX_KEY_LENGTH } from '../domain/once.ts';
import type { Operation } from './call/operation.ts';
import { REPLAYED_HEADER } from './call/reply.ts';

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
