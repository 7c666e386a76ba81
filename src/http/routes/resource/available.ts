/**
 * GET /api/v1/Resource/available/{resource}: whether a resource has a free slot (docs/specification.md#operations).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { available } from '../../../engine/definitions/available.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { resourceName } from '../../fields.ts';
import { answer, parameterOperation } from '../../responses.ts';

export const availableRoute = ({ engine, reads, sizes }: HttpDeps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/v1/Resource/available/{resource}',
    operationId: 'available',
    tags: ['Resource'],
    summary: 'See whether a resource has a free slot',
    request: { params: z.object({ resource: resourceName(sizes) }) },
    responses: { 200: answer('Whether it has.', z.boolean()), ...parameterOperation },
  });

  return new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    await reads.charge(c.get('credential'));
    return c.json(await available(engine, c.get('credential'), c.req.valid('param').resource), 200);
  });
};
