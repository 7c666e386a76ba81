/**
 * DELETE /api/v1/Resource/{name}: deletes a definition, and on demand what is below it
 * (docs/specification.md#operations, #registration).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { resourceName } from '../../fields.ts';
import { notByToken } from '../../middleware/notByToken.ts';
import { answer, parameterOperation, unregistered } from '../../responses.ts';
import { done } from '../../tally.ts';

const Deleted = z.object({ deleted: z.array(z.string()) }).openapi('Deleted');

const cascade = z
  .enum(['true', 'false'], 'must be true or false')
  .default('false')
  .transform((text) => text === 'true')
  .openapi({ type: 'boolean', description: 'Delete what is below it in the tree too.' });

export const deleteRoute = ({ definitions, sizes }: HttpDeps) => {
  const route = createRoute({
    method: 'delete',
    path: '/api/v1/Resource/{name}',
    operationId: 'delete',
    tags: ['Resource'],
    summary: 'Delete a definition',
    description:
      'Refused with 400 where something is below it and `cascade` is not true, or where it, or anything that would be deleted with it, is held.',
    middleware: notByToken,
    request: { params: z.object({ name: resourceName(sizes) }), query: z.object({ cascade }) },
    responses: { 200: answer('What was deleted.', Deleted), ...parameterOperation, ...unregistered },
  });

  return new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    const { name } = c.req.valid('param');
    const deleted = await definitions.delete(c.get('credential'), name, c.req.valid('query').cascade);
    c.set('outcome', done(1));
    return c.json({ deleted }, 200);
  });
};
