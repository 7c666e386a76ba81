/**
 * GET /api/v1/Resource/tree: lists all registered resources as trees, with their free slots.
 */
import { z } from '@hono/zod-openapi';
import { TreeNode } from '../../../contract/definitions.ts';
import { PATH_DELIMITER } from '../../../domain/resources.ts';
import { detailsOf } from '../../../engine/definitions/codec.ts';
import type { TreeRow } from '../../../engine/definitions/list.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { listTree } from '../../../operations/lists.ts';
import { answerList, type ListWriter } from '../../call/listing.ts';
import { operation } from '../../call/operation.ts';
import { asIs } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
import { answer, anyOperation } from '../../responses.ts';

const responses = {
  200: answer('The roots. Children are sorted by name.', z.array(TreeNode)),
  ...anyOperation,
};

export const treeOperation = operation({
  method: 'get',
  path: '/api/v1/Resource/tree',
  operationId: 'getTree',
  right: 'definitions',
  tags: ['Resource'],
  summary: 'List the registered resources as trees, with their free slots',
  description:
    'Costs one read for each 1,000 definitions. A response that ends before its closing bracket is incomplete.',
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
      for (const { name, depth, capacity, available, waiting, labels } of rows) {
        // Closes the nodes that are not above this one; one that follows another at its depth is its sibling.
        if (path.length > depth) text += `${']}'.repeat(path.length - depth)},`;
        path.length = depth;
        path.push(name);
        const details = detailsOf(capacity === null, labels);
        const fields = { name, path: path.join(PATH_DELIMITER), capacity, available, waiting, ...details };
        const node = JSON.stringify(fields);
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

export const treeRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>): Route =>
  route(treeOperation, (call) => answerList(call, deps, () => listTree(deps, call.credential), nestedNodes()), asIs);
