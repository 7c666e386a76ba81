/**
 * A reservation that its holder has released and may take back (docs/specification.md#reserving-by-hand).
 */
import { z } from 'zod';

export const Released = z.object({
  resource: z.string(),
  requester: z.string(),
  /** When it would have ended, in ms since 1970 UTC; null: never */
  untilMs: z.number().nullable(),
  note: z.string().optional(),
  count: z.number().optional(),
  mode: z.literal('SHARED').optional(),
});
export type Released = z.infer<typeof Released>;
