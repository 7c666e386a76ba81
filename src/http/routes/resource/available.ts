/**
 * GET /api/v1/Resource/available/{resource}: tells whether a resource has a free slot
 * (docs/specification.md#operations).
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { ResourceParams } from '../../../contract/definitions.ts';
import { withRules } from '../../../contract/sizes.ts';
import { available } from '../../../engine/definitions/available.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { operation } from '../../operation.ts';
import { answer, parameterOperation } from '../../responses.ts';

export const availableOperation = operation({
  method: 'get',
  path: '/api/v1/Resource/available/{resource}',
  operationId: 'available',
  tags: ['Resource'],
  summary: 'See whether a resource has a free slot',
  request: { params: ResourceParams },
  responses: { 200: answer('True if it has a free slot.', z.boolean()), ...parameterOperation },
});

export const availableRoute = ({ engine, reads, sizes, unknownFields }: HttpDeps) => {
  const params = withRules(ResourceParams, { sizes, unknownFields });
  const route = { ...availableOperation, request: { params } };
  return new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    await reads.charge(c.get('credential'));
    return c.json(await available(engine, c.get('credential'), c.req.valid('param').resource), 200);
  });
};
