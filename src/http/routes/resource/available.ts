/**
 * GET /api/v1/Resource/available/{resource}: whether a resource has a free slot (docs/specification.md#operations).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { available } from '../../../operations/available.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { resourceName } from '../../fields.ts';
import { answer, parameterOperation } from '../../responses.ts';

export const availableRoute = ({
  sizes,
  ...deps
}: Pick<BodyDeps, 'sizes'> & Pick<OperationDeps, 'engine' | 'activity' | 'reads'>) => {
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
    const { result, quota } = await available(deps, c.get('credential'), c.req.valid('param').resource);
    c.set('quota', quota);
    return c.json(result, 200);
  });
};
