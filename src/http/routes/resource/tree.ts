/**
 * GET /api/v1/Resource/tree: all that is registered, as trees, with what is free (interface, "Endpoints"; decisions, section 5).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { TreeNode as Node } from '../../../domain/resources.ts';
import { tree } from '../../../engine/definitions.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { answer, anyOperation } from '../../responses.ts';

const TreeNode: z.ZodType<Node> = z
  .object({
    name: z.string(),
    path: z.string().openapi({ description: 'From the root down, its own name included.', example: 'House>Floor1' }),
    capacity: z.int(),
    available: z.int().openapi({ description: 'Free slots.' }),
    children: z.array(z.lazy(() => TreeNode)).openapi({
      type: 'array',
      items: { $ref: '#/components/schemas/TreeNode' },
    }),
  })
  .openapi('TreeNode');

const route = createRoute({
  method: 'get',
  path: '/api/v1/Resource/tree',
  operationId: 'tree',
  tags: ['Resource'],
  summary: 'See the registered resources as trees, with what is free',
  responses: { 200: answer('The roots; children sorted by name.', z.array(TreeNode)), ...anyOperation },
});

export const treeRoute = ({ engine, reads }: HttpDeps) =>
  new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    await reads.charge(c.get('credential'));
    return c.json(await tree(engine, c.get('credential')), 200);
  });
