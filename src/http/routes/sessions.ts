/**
 * /api/v1/Session: begins, renews, ends and lists sessions (docs/specification.md#sessions).
 */
import { z } from '@hono/zod-openapi';
import {
  BegunSession,
  EndedSession,
  NewSession,
  RenewedSession,
  Session,
  SessionProof,
} from '../../contract/sessions.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { listSessions } from '../../operations/lists.ts';
import { beginSession, endSession, renewSession } from '../../operations/sessions.ts';
import { actForOne } from '../call/actFor.ts';
import { answerList, jsonRows } from '../call/listing.ts';
import { operation } from '../call/operation.ts';
import { asIs, charged } from '../call/reply.ts';
import { type Route, route } from '../call/route.ts';
import { answer, anyOperation, bodyOperation } from '../openapi/responses.ts';

const beginSessionOperation = operation({
  method: 'post',
  path: '/api/v1/Session',
  operationId: 'beginSession',
  right: 'reserve',
  tags: ['Session'],
  summary: 'Begin a session',
  description:
    'Reservations with this `session` last as long as it does: renew it before it expires, and all of them go on. A session counts as one reservation.',
  isRepeatable: true,
  body: NewSession,
  fillRequester: actForOne,
  responses: { 200: answer('The session.', BegunSession), ...bodyOperation },
});

const renewSessionOperation = operation({
  method: 'post',
  path: '/api/v1/Session/renew',
  operationId: 'renewSession',
  right: 'reserve',
  tags: ['Session'],
  summary: 'Renew a session',
  description: 'It then expires `ttlSeconds` from now, and so do its reservations, however many there are.',
  isRepeatable: true,
  body: SessionProof,
  responses: { 200: answer('The status of the session.', RenewedSession), ...bodyOperation },
});

const endSessionOperation = operation({
  method: 'post',
  path: '/api/v1/Session/end',
  operationId: 'endSession',
  right: 'reserve',
  tags: ['Session'],
  summary: 'End a session',
  description: 'All its reservations end at the same time, and so do the waits of requests with this session.',
  isRepeatable: true,
  body: SessionProof,
  responses: { 200: answer('What has ended.', EndedSession), ...bodyOperation },
});

const sessionsOperation = operation({
  method: 'get',
  path: '/api/v1/Session',
  operationId: 'listSessions',
  right: 'read',
  tags: ['Session'],
  summary: "List the tenant's sessions",
  description:
    'In no particular order. Costs one read for each 1,000 sessions. A response that ends before its closing bracket is incomplete.',
  responses: { 200: answer('The sessions.', z.array(Session)), ...anyOperation },
});

export const sessionOperations = [beginSessionOperation, renewSessionOperation, endSessionOperation, sessionsOperation];

export const sessionRoutes = (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>,
): readonly Route[] => [
  route(beginSessionOperation, (call) => beginSession(deps, call.credential, call.body, call.idempotency), charged),
  route(renewSessionOperation, (call) => renewSession(deps, call.credential, call.body, call.idempotency), charged),
  route(endSessionOperation, (call) => endSession(deps, call.credential, call.body, call.idempotency), charged),
  route(
    sessionsOperation,
    (call) => answerList(call, deps, () => listSessions(deps, call.credential), jsonRows()),
    asIs,
  ),
];
