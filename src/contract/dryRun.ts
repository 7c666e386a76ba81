/**
 * The query of calls that can be asked what they would do (docs/specification.md#asking-without-doing).
 */
import { z } from 'zod';

export const DryRunQuery = z.object({
  dryRun: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((text) => text === 'true')
    .meta({
      type: 'boolean',
      default: false,
      description:
        'Only says what would happen now: nothing changes, and no result has a token. Costs one read for each item.',
    }),
});
