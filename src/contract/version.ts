/** The answer of GET /version. */
import { z } from 'zod';

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
