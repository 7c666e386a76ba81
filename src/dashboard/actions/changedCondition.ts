/** A change of condition that its person can take back. */
import { z } from 'zod';

export const Changed = z.object({
  resource: z.string(),
  /** The condition before, of all its slots alike. */
  was: z.enum(['ready', 'dirty', 'out']),
  reason: z.string().optional(),
});
export type Changed = z.infer<typeof Changed>;
