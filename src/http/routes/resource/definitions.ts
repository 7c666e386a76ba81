/**
 * GET /api/v1/Resource/definitions: all that is registered (interface, "Endpoints"; decisions, section 5).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { definitions } from '../../../engine/definitions.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { answer, anyOperation } from '../../responses.ts';
import { Definition } from './register.ts';

const route = createRoute({
  method: 'get',
  path: '/api/v1/Resource/definitions',
  operationId: 'definitions',
  tags: ['Resource'],
  summary: 'List the registered resources',
  responses: { 200: answer('All of them, sorted by name.', z.array(Definition)), ...anyOperation },
});

export const definitionsRoute = ({ engine, reads }: HttpDeps) =>
  new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    await reads.charge(c.get('credential'));
    return c.json(await definitions(engine, c.get('credential')), 200);
  });
