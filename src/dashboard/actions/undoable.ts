/** Changes that their person can undo: of a condition, and a release (docs/specification.md#reserving-by-hand). */
import { z } from 'zod';

export const Released = z.object({
  resource: z.string(),
  requester: z.string(),
  /** When it would have ended, in ms since 1970 UTC; null: never */
  untilMs: z.number().nullable(),
  note: z.string().optional(),
  count: z.number().optional(),
  mode: z.literal('SHARED').optional(),
  /** When it was released, in ms since 1970 UTC */
  atMs: z.number(),
});
export type Released = z.infer<typeof Released>;

/** A change of condition that its person can take back. */
export const Changed = z.object({
  resource: z.string(),
  /** The condition before, of all its slots alike. */
  was: z.enum(['ready', 'dirty', 'out']),
  reason: z.string().optional(),
});
export type Changed = z.infer<typeof Changed>;
