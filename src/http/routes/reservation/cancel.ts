/**
 * POST /api/v1/Reservation/cancel: ends waits (docs/specification.md#cancel-and-who-is-waiting).
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { CancelBody, CancelResult } from '../../../contract/waiting.ts';
import { cancel } from '../../../operations/cancel.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { markReplayed } from '../../once.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';

export const cancelOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/cancel',
  operationId: 'cancel',
  right: 'reserve',
  tags: ['Reservation'],
  summary: 'Stop waiting',
  description:
    'Ends all waits of this requester that name this resource. If such a wait has just succeeded and its caller has not got the response yet, the reservation ends, too. Calls that still wait get NOT_AVAILABLE. If the caller is just between two calls, its next one begins a new wait: stop the caller, too.',
  isRepeatable: true,
  body: CancelBody,
  responses: {
    200: answer('A result for each item, in the same order.', z.array(CancelResult)),
    ...bodyOperation,
  },
});

export const cancelRoute = (
  deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads' | 'trail'>,
) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(cancelOperation, deps), async (c) => {
    const {
      result: results,
      quota,
      isReplayed,
    } = await cancel(deps, c.get('credential'), c.get('body'), c.get('once'));
    c.set('quota', quota);
    markReplayed(c, isReplayed);
    return c.json(results, 200);
  });
};
