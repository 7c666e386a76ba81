/**
 * POST /api/v1/Reservation/reset: ends all reservations of the tenant (docs/specification.md#operations).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { Cleared } from '../../../contract/reservations.ts';
import { reset } from '../../../engine/reservations/reset.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { notByToken } from '../../middleware/notByToken.ts';
import { operation } from '../../operation.ts';
import { answer, anyOperation } from '../../responses.ts';
import { done } from '../../tally.ts';

export const resetOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/reset',
  operationId: 'reset',
  tags: ['Reservation'],
  summary: 'End all reservations',
  description: 'Definitions stay.',
  responses: { 200: answer('All reservations have ended.', Cleared), ...anyOperation },
});

export const resetRoute = ({ engine }: HttpDeps) =>
  new OpenAPIHono<AppEnv>().openapi({ ...resetOperation, middleware: notByToken }, async (c) => {
    const cleared = await reset(engine, c.get('credential'));
    c.set('outcome', done(1));
    return c.json({ cleared }, 200);
  });
