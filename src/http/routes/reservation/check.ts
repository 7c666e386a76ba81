/**
 * POST /api/v1/Reservation/check: shows who holds resources (docs/specification.md#check).
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { CheckBody, CheckResult } from '../../../contract/check.ts';
import { check } from '../../../operations/check.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';

export const checkOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/check',
  operationId: 'check',
  right: 'read',
  tags: ['Reservation'],
  summary: 'See who holds resources',
  description: 'Costs one read for each item.',
  body: CheckBody,
  responses: { 200: answer('A result for each item, in the same order.', z.array(CheckResult)), ...bodyOperation },
});

export const checkRoute = (deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads'>) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(checkOperation, deps), async (c) => {
    const { result, quota } = await check(deps, c.get('credential'), c.get('body'));
    c.set('quota', quota);
    return c.json(result, 200);
  });
};
