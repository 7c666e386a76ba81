/**
 * GET /api/v1/Reservation/waiting: lists who waits (docs/specification.md#cancel-and-who-is-waiting).
 */
import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import { withRules } from '../../../contract/sizes.ts';
import { WaitingFilter, WaitingRequest } from '../../../contract/waiting.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { listWaiting } from '../../../operations/lists.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { answerList, jsonRows } from '../../listing.ts';
import { operation } from '../../operation.ts';
import { answer, parameterOperation } from '../../responses.ts';

// Of the wider type that lets the handler answer with a stream.
const responses: RouteConfig['responses'] = {
  200: answer('Who waits.', z.array(WaitingRequest)),
  ...parameterOperation,
};

export const waitingOperation = operation({
  method: 'get',
  path: '/api/v1/Reservation/waiting',
  operationId: 'listWaiting',
  right: 'read',
  tags: ['Reservation'],
  summary: 'List who waits',
  description:
    'In the order of the queue. Costs one read for each 1,000 requests that wait. A response that ends before its closing bracket is incomplete.',
  request: { query: WaitingFilter },
  responses,
});

export const waitingRoute = (deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>) => {
  const route = { ...waitingOperation, request: { query: withRules(WaitingFilter, deps) } };
  return new OpenAPIHono<AppEnv>().openapi(route, (c) =>
    answerList(c, deps, () => listWaiting(deps, c.get('credential'), c.req.valid('query')), jsonRows()),
  );
};
