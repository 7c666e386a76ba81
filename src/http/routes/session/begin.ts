/**
 * POST /api/v1/Session: begins a session (docs/specification.md#sessions).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { BegunSession, NewSession } from '../../../contract/sessions.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { beginSession } from '../../../operations/sessions.ts';
import { actForOne } from '../../actFor.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { markReplayed } from '../../once.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';

export const beginSessionOperation = operation({
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

export const beginSessionRoute = (deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads'>) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(beginSessionOperation, deps), async (c) => {
    const { result, quota, isReplayed } = await beginSession(deps, c.get('credential'), c.get('body'), c.get('once'));
    c.set('quota', quota);
    markReplayed(c, isReplayed);
    return c.json(result, 200);
  });
};
