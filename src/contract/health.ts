/** The answers of the health checks. */
import { z } from 'zod';

export const Health = z
  .object({ status: z.enum(['ok', 'unavailable']), reason: z.string().optional() })
  .meta({ id: 'Health' });
export type Health = z.output<typeof Health>;
