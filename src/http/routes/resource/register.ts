/**
 * POST /api/v1/Resource/register: registers resources, all or none (docs/specification.md#resources, #registration).
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { Definition, RegisterBody } from '../../../contract/definitions.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { notByToken } from '../../middleware/notByToken.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';
import { done } from '../../tally.ts';

export const registerOperation = operation({
  method: 'post',
  path: '/api/v1/Resource/register',
  operationId: 'register',
  tags: ['Resource'],
  summary: 'Register resources',
  description:
    'Registers all items, or none if one is refused. A registered name gets the new definition; existing reservations keep their slots. Missing ancestors are registered with capacity 1.',
  body: RegisterBody,
  responses: {
    200: answer('The definitions as stored, including ancestors that were registered along.', z.array(Definition)),
    ...bodyOperation,
  },
});

export const registerRoute = ({ definitions, sizes, unknownFields }: HttpDeps) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(registerOperation, { sizes, unknownFields }, notByToken), async (c) => {
    const items = c.get('body');
    const stored = await definitions.register(c.get('credential'), items);
    c.set('outcome', done(items.length));
    return c.json(stored, 200);
  });
};
