/**
 * GET /api/v1/Resource/available/{resource}: shows whether a resource has a free slot
 * (docs/specification.md#check).
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { ResourceParams } from '../../../contract/definitions.ts';
import { withRules } from '../../../contract/sizes.ts';
import { available } from '../../../operations/available.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { operation } from '../../operation.ts';
import { answer, parameterOperation } from '../../responses.ts';

export const availableOperation = operation({
  method: 'get',
  path: '/api/v1/Resource/available/{resource}',
  operationId: 'isAvailable',
  right: 'definitions',
  tags: ['Resource'],
  summary: 'See whether a resource has a free slot',
  description:
    'The negation of `reserved` in a check: ancestors, blockers and queues do not count. Ask `reservable` of a check to learn whether a reserve would succeed.',
  request: { params: ResourceParams },
  responses: { 200: answer('True if it has a free slot.', z.boolean()), ...parameterOperation },
});

export const availableRoute = (deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads'>) => {
  const params = withRules(ResourceParams, deps);
  const route = { ...availableOperation, request: { params } };
  return new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    const { result, quota } = await available(deps, c.get('credential'), c.req.valid('param').resource);
    c.set('quota', quota);
    return c.json(result, 200);
  });
};
