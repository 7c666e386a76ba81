/**
 * The bodies of failures (docs/specification.md#errors). A 400 is a JSON string; its code is in a header.
 */
import { z } from 'zod';
import { FAILURE_CODES } from '../domain/errors.ts';

export const Code = z
  .enum(FAILURE_CODES)
  .meta({ id: 'FailureCode', description: 'Identifies the failure. It stays the same when the message changes.' });

/** The body of every failure but a 400 and a reached limit. */
const error = z.string().meta({ description: 'What is wrong, for people.' });

export const Failure = z
  .object({
    error,
    code: Code,
    upgradeRequired: z
      .literal(true)
      .optional()
      .meta({ description: 'Only with UPGRADE_REQUIRED: a higher tier has it.' }),
  })
  .meta({ id: 'Failure' });
export type Failure = z.output<typeof Failure>;

export const LimitReached = z
  .object({
    error,
    code: Code,
    tier: z.string().nullable().meta({ description: 'The tier of the tenant. Null: the limit depends on no tier.' }),
    limit: z.int().meta({ description: 'The limit that is reached.' }),
    retryAfter: z.int().meta({ description: 'Seconds to wait.' }),
    upgradeRequired: z.boolean().meta({ description: 'True if a higher tier would have allowed the request.' }),
    limitType: z.string().meta({ description: 'Which limit is reached.', example: 'EventConnections' }),
  })
  .meta({ id: 'LimitReached' });
export type LimitReached = z.output<typeof LimitReached>;
