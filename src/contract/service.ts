/**
 * Facts about the instance: its health, and its version.
 */
import { z } from 'zod';

/** The answers of the health checks. */
export const Health = z
  .object({
    status: z.enum(['ok', 'unavailable']).meta({ description: 'unavailable: see `reason`.' }),
    reason: z.string().optional().meta({ description: 'Why it is not `ok`.' }),
  })
  .meta({ id: 'Health' });
export type Health = z.output<typeof Health>;

/** The answer of GET /version. */
export const Version = z
  .object({
    version: z.string().meta({
      description: 'The version of the service. It ends with `-dev` in any build but that of a release.',
      example: '0.1.0',
    }),
    commit: z.string().nullable().meta({
      description:
        'The commit that was built, with `-dirty` if files had been changed. null: unknown, as with `npm run dev`, or in an image that was built without the build argument `COMMIT`.',
    }),
  })
  .meta({ id: 'Version' });
