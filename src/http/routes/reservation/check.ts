/**
 * POST /api/v1/Reservation/check: who holds what, without changing it (docs/specification.md#operations).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { check } from '../../../operations/check.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { batch, item, requesterName, resourceName, time } from '../../fields.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { answer, bodyOperation } from '../../responses.ts';

const CheckResult = z
  .object({
    resource: z.string(),
    reserved: z.boolean().openapi({ description: 'Whether no slot of it is free.' }),
    requester: z.string().nullable().openapi({ description: 'Its owner, where it has one slot.' }),
    heldByRequester: z.boolean().nullable().openapi({ description: 'Null where no requester was asked about.' }),
    expiresAt: time.nullable(),
  })
  .openapi('CheckResult');

export const checkRoute = ({
  sizes,
  unknownFields,
  ...deps
}: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads'>) => {
  const fields = { resource: resourceName(sizes), requester: requesterName(sizes).optional() };
  const CheckItem = item(fields, unknownFields).openapi('CheckItem');

  const Body = batch(CheckItem, sizes);
  const route = createRoute({
    method: 'post',
    path: '/api/v1/Reservation/check',
    operationId: 'check',
    tags: ['Reservation'],
    summary: 'See who holds resources',
    description: 'Costs one read for each item.',
    middleware: jsonBody(Body, sizes),
    hide: true,
    responses: { 200: answer('A result for each item, in their order.', z.array(CheckResult)), ...bodyOperation },
  });

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, route, Body);
  return app.openapi(route, async (c) => {
    const { result, quota } = await check(deps, c.get('credential'), c.get('body'));
    c.set('quota', quota);
    return c.json(result, 200);
  });
};
