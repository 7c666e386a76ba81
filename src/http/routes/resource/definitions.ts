/**
 * GET /api/v1/Resource/definitions: all that is registered.
 */
import { createRoute, OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import type { OperationDeps } from '../../../operations/deps.ts';
import { listDefinitions } from '../../../operations/lists.ts';
import type { AppEnv } from '../../env.ts';
import { answerList, jsonRows } from '../../listing.ts';
import { answer, anyOperation } from '../../responses.ts';
import { Definition } from './register.ts';

// Of the wider type that lets the handler answer with a stream.
const responses: RouteConfig['responses'] = {
  200: answer('All of them, sorted by name.', z.array(Definition)),
  ...anyOperation,
};

const route = createRoute({
  method: 'get',
  path: '/api/v1/Resource/definitions',
  operationId: 'definitions',
  tags: ['Resource'],
  summary: 'List the registered resources',
  description:
    'Costs one read for each 1,000 of them. An answer that breaks off before its closing bracket is incomplete.',
  responses,
});

export const definitionsRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>) =>
  new OpenAPIHono<AppEnv>().openapi(route, (c) =>
    answerList(c, deps, () => listDefinitions(deps, c.get('credential')), jsonRows()),
  );
