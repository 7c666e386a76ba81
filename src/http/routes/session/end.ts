/**
 * POST /api/v1/Session/end: ends a session and its reservations (docs/specification.md#sessions).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { EndedSession, SessionProof } from '../../../contract/sessions.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { endSession } from '../../../operations/sessions.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { markReplayed } from '../../once.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';

export const endSessionOperation = operation({
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

export const endSessionRoute = (deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads'>) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(endSessionOperation, deps), async (c) => {
    const { result, quota, isReplayed } = await endSession(deps, c.get('credential'), c.get('body'), c.get('once'));
    c.set('quota', quota);
    markReplayed(c, isReplayed);
    return c.json(result, 200);
  });
};
