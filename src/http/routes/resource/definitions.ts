/**
 * GET /api/v1/Resource/definitions: lists all registered resources (docs/specification.md#listings).
 */
import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import { Definition, DefinitionsQuery } from '../../../contract/definitions.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { listDefinitions } from '../../../operations/lists.ts';
import type { AppEnv } from '../../env.ts';
import { answerList, jsonRows } from '../../listing.ts';
import { operation } from '../../operation.ts';
import { answer, parameterOperation } from '../../responses.ts';

// Of the wider type that lets the handler answer with a stream.
const responses: RouteConfig['responses'] = {
  200: answer('The definitions, sorted by name.', z.array(Definition)),
  ...parameterOperation,
};

export const definitionsOperation = operation({
  method: 'get',
  path: '/api/v1/Resource/definitions',
  operationId: 'listDefinitions',
  right: 'definitions',
  tags: ['Resource'],
  summary: 'List the registered resources',
  description:
    'With `label`, lists only the resources that have this label. Costs one read for each 1,000 definitions that it looks at. A response that ends before its closing bracket is incomplete.',
  request: { query: DefinitionsQuery },
  responses,
});

export const definitionsRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>) =>
  new OpenAPIHono<AppEnv>().openapi(definitionsOperation, (c) =>
    answerList(c, deps, () => listDefinitions(deps, c.get('credential'), c.req.valid('query').label), jsonRows()),
  );
