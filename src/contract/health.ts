/** The answers of the health checks. */
import { z } from 'zod';

export const Health = z
  .object({
    status: z.enum(['ok', 'unavailable']).meta({ description: 'unavailable: see `reason`.' }),
    reason: z.string().optional().meta({ description: 'Why it is not `ok`.' }),
  })
  .meta({ id: 'Health' });
export type Health = z.output<typeof Health>;
