/**
 * POST /api/v1/Session/renew: the heartbeat of a session (docs/specification.md#sessions).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { RenewedSession, SessionProof } from '../../../contract/sessions.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { renewSession } from '../../../operations/sessions.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { markReplayed } from '../../once.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';

export const renewSessionOperation = operation({
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

export const renewSessionRoute = (deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads'>) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(renewSessionOperation, deps), async (c) => {
    const { result, quota, isReplayed } = await renewSession(deps, c.get('credential'), c.get('body'), c.get('once'));
    c.set('quota', quota);
    markReplayed(c, isReplayed);
    return c.json(result, 200);
  });
};
