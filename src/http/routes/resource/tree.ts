/**
 * GET /api/v1/Resource/tree: all that is registered, as trees, with what is free.
 */
import { createRoute, OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import { type TreeNode as Node, PATH_DELIMITER, type TreeRow } from '../../../domain/resources.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { listTree } from '../../../operations/lists.ts';
import type { AppEnv } from '../../env.ts';
import { answerList, type ListWriter } from '../../listing.ts';
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

// Of the wider type that lets the handler answer with a stream.
const responses: RouteConfig['responses'] = {
  200: answer('The roots; children sorted by name.', z.array(TreeNode)),
  ...anyOperation,
};

const route = createRoute({
  method: 'get',
  path: '/api/v1/Resource/tree',
  operationId: 'tree',
  tags: ['Resource'],
  summary: 'See the registered resources as trees, with what is free',
  description:
    'Costs one read for each 1,000 of them. An answer that breaks off before its closing bracket is incomplete.',
  responses,
});

/** Writes rows that come from the roots down as nested nodes. */
export function nestedNodes(): ListWriter<TreeRow> {
  const path: string[] = [];
  let text = '[';
  const take = () => {
    const taken = text;
    text = '';
    return taken;
  };
  return {
    write: (rows) => {
      for (const { name, depth, capacity, available } of rows) {
        // Closes the nodes that are not above this one; one that follows another at its depth is its sibling.
        if (path.length > depth) text += `${']}'.repeat(path.length - depth)},`;
        path.length = depth;
        path.push(name);
        const node = JSON.stringify({ name, path: path.join(PATH_DELIMITER), capacity, available });
        text += `${node.slice(0, -1)},"children":[`;
      }
      return take();
    },
    end: () => {
      text += `${']}'.repeat(path.length)}]`;
      return take();
    },
  };
}

export const treeRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>) =>
  new OpenAPIHono<AppEnv>().openapi(route, (c) =>
    answerList(c, deps, () => listTree(deps, c.get('credential')), nestedNodes()),
  );
