/**
 * POST /api/v1/Reservation/reset: ends all reservations of the tenant (docs/specification.md#reset).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { Cleared } from '../../../contract/reservations.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { reset } from '../../../operations/reset.ts';
import type { AppEnv } from '../../env.ts';
import { operation } from '../../operation.ts';
import { answer, anyOperation } from '../../responses.ts';

export const resetOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/reset',
  operationId: 'reset',
  tags: ['Reservation'],
  summary: 'End all reservations',
  description: 'Definitions stay.',
  responses: { 200: answer('All reservations have ended.', Cleared), ...anyOperation },
});

export const resetRoute = (deps: Pick<OperationDeps, 'engine' | 'activity'>) =>
  new OpenAPIHono<AppEnv>().openapi(resetOperation, async (c) => {
    const { result: cleared, quota } = await reset(deps, c.get('credential'));
    c.set('quota', quota);
    return c.json({ cleared }, 200);
  });
