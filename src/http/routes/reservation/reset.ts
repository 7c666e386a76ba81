/**
 * POST /api/v1/Reservation/reset: ends all reservations of the tenant (docs/specification.md#reset).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { Cleared } from '../../../contract/reservations.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { reset } from '../../../operations/reset.ts';
import type { AppEnv } from '../../env.ts';
import { refuse } from '../../errors.ts';
import { markReplayed, readOnce } from '../../once.ts';
import { operation } from '../../operation.ts';
import { answer, parameterOperation } from '../../responses.ts';

export const resetOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/reset',
  operationId: 'reset',
  right: 'reset',
  tags: ['Reservation'],
  summary: 'End all reservations',
  description: 'Definitions stay.',
  isRepeatable: true,
  responses: { 200: answer('All reservations have ended.', Cleared), ...parameterOperation },
});

export const resetRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'trail' | 'history'>) =>
  new OpenAPIHono<AppEnv>().openapi(resetOperation, async (c) => {
    const { data: once, error } = readOnce(c, null);
    if (error !== undefined) return refuse(c, error);
    const { result: cleared, quota, isReplayed } = await reset(deps, c.get('credential'), once);
    c.set('quota', quota);
    markReplayed(c, isReplayed);
    return c.json({ cleared }, 200);
  });
