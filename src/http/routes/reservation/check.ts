/**
 * POST /api/v1/Reservation/check: shows who holds resources, and changes nothing (docs/specification.md#operations).
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { CheckBody, CheckResult } from '../../../contract/reservations.ts';
import { check } from '../../../engine/reservations/check.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';

export const checkOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/check',
  operationId: 'check',
  tags: ['Reservation'],
  summary: 'See who holds resources',
  description: 'Costs one read for each item.',
  body: CheckBody,
  responses: { 200: answer('A result for each item, in the same order.', z.array(CheckResult)), ...bodyOperation },
});

export const checkRoute = ({ engine, reads, sizes, unknownFields }: HttpDeps) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(checkOperation, { sizes, unknownFields }), async (c) => {
    await reads.charge(c.get('credential'), c.get('body').length);
    return c.json(await check(engine, c.get('credential'), c.get('body')), 200);
  });
};
