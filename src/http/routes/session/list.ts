/**
 * GET /api/v1/Session: lists the tenant's sessions (docs/specification.md#sessions).
 */
import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import { Session } from '../../../contract/sessions.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { listSessions } from '../../../operations/lists.ts';
import type { AppEnv } from '../../env.ts';
import { answerList, jsonRows } from '../../listing.ts';
import { operation } from '../../operation.ts';
import { answer, anyOperation } from '../../responses.ts';

// Of the wider type that lets the handler answer with a stream.
const responses: RouteConfig['responses'] = {
  200: answer('The sessions.', z.array(Session)),
  ...anyOperation,
};

export const sessionsOperation = operation({
  method: 'get',
  path: '/api/v1/Session',
  operationId: 'listSessions',
  right: 'read',
  tags: ['Session'],
  summary: "List the tenant's sessions",
  description:
    'In no particular order. Costs one read for each 1,000 sessions. A response that ends before its closing bracket is incomplete.',
  responses,
});

export const sessionsRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>) =>
  new OpenAPIHono<AppEnv>().openapi(sessionsOperation, (c) =>
    answerList(c, deps, () => listSessions(deps, c.get('credential')), jsonRows()),
  );
