/**
 * DELETE /api/v1/Resource/{name}: deletes a definition, and on demand what is below it
 * (docs/specification.md#operations, #registration).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { deleteDefinition } from '../../../operations/deleteDefinition.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { resourceName } from '../../fields.ts';
import { refuseTokens } from '../../middleware/refuseTokens.ts';
import { answer, parameterOperation, unregistered } from '../../responses.ts';

const Deleted = z.object({ deleted: z.array(z.string()) }).openapi('Deleted');

const cascade = z
  .enum(['true', 'false'], 'must be true or false')
  .default('false')
  .transform((text) => text === 'true')
  .openapi({ type: 'boolean', description: 'Delete what is below it in the tree too.' });

export const deleteRoute = ({
  sizes,
  ...deps
}: Pick<BodyDeps, 'sizes'> & Pick<OperationDeps, 'definitions' | 'activity'>) => {
  const route = createRoute({
    method: 'delete',
    path: '/api/v1/Resource/{name}',
    operationId: 'delete',
    tags: ['Resource'],
    summary: 'Delete a definition',
    description:
      'Refused with 400 where something is below it and `cascade` is not true, or where it, or anything that would be deleted with it, is held.',
    middleware: refuseTokens,
    request: { params: z.object({ name: resourceName(sizes) }), query: z.object({ cascade }) },
    responses: { 200: answer('What was deleted.', Deleted), ...parameterOperation, ...unregistered },
  });

  return new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    const { name } = c.req.valid('param');
    const { cascade } = c.req.valid('query');
    const { result: deleted, quota } = await deleteDefinition(deps, c.get('credential'), name, cascade);
    c.set('quota', quota);
    return c.json({ deleted }, 200);
  });
};
