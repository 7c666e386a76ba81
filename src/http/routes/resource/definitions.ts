/**
 * GET /api/v1/Resource/definitions: lists all registered resources (docs/specification.md#listings).
 */
import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import { Definition } from '../../../contract/definitions.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { listDefinitions } from '../../../operations/lists.ts';
import type { AppEnv } from '../../env.ts';
import { answerList, jsonRows } from '../../listing.ts';
import { operation } from '../../operation.ts';
import { answer, anyOperation } from '../../responses.ts';

// Of the wider type that lets the handler answer with a stream.
const responses: RouteConfig['responses'] = {
  200: answer('All definitions, sorted by name.', z.array(Definition)),
  ...anyOperation,
};

export const definitionsOperation = operation({
  method: 'get',
  path: '/api/v1/Resource/definitions',
  operationId: 'definitions',
  tags: ['Resource'],
  summary: 'List the registered resources',
  description:
    'Costs one read for each 1,000 definitions. A response that ends before its closing bracket is incomplete.',
  responses,
});

export const definitionsRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>) =>
  new OpenAPIHono<AppEnv>().openapi(definitionsOperation, (c) =>
    answerList(c, deps, () => listDefinitions(deps, c.get('credential')), jsonRows()),
  );
