/**
 * POST /api/v1/Reservation/reserve: reserves resources (docs/specification.md#operations).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { RESERVE_STATUSES } from '../../../domain/reservations.ts';
import type { Sizes } from '../../../domain/sizes.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { reserve } from '../../../operations/reserve.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { batch, item, requesterName, resourceName, resourceType, time, ttlSeconds } from '../../fields.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { answer, bodyOperation } from '../../responses.ts';

export const ReserveResult = z
  .object({
    resource: z.string(),
    requester: z.string(),
    status: z.enum(RESERVE_STATUSES),
    explanation: z.string().openapi({ example: 'ACQUIRED' }),
    releaseToken: z.uuid().nullable(),
    expiresAt: time.nullable(),
    acquiredSlots: z.record(z.string(), z.string()).nullable(),
    acquiredBlockers: z.array(z.string()).nullable(),
    reservedAtPath: z.string().nullable(),
    fencingToken: z.int().nullable().openapi({ description: 'Grows with every ACQUIRED of the tenant.' }),
  })
  .openapi('ReserveResult');

export const reserveItemFields = (sizes: Sizes) => ({
  requester: requesterName(sizes),
  resource: resourceName(sizes),
  ttlSeconds: ttlSeconds(sizes).optional(),
  resourceType: resourceType(sizes),
});

export const reserveRoute = ({
  sizes,
  unknownFields,
  ...deps
}: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'metrics'>) => {
  const ReserveItem = item(reserveItemFields(sizes), unknownFields).openapi('ReserveItem');

  const Body = batch(ReserveItem, sizes);
  const route = createRoute({
    method: 'post',
    path: '/api/v1/Reservation/reserve',
    operationId: 'reserve',
    tags: ['Reservation'],
    summary: 'Reserve resources',
    description:
      'Each item is carried out on its own, in order; each result has a status of its own. Repeating a call is safe: whoever holds the resource already is told ALREADY_HAD, with the same token.',
    middleware: jsonBody(Body, sizes),
    hide: true,
    responses: { 200: answer('A result for each item, in their order.', z.array(ReserveResult)), ...bodyOperation },
  });

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, route, Body);
  return app.openapi(route, async (c) => {
    const { result: results, quota } = await reserve(deps, c.get('credential'), c.get('body'));
    c.set('quota', quota);
    return c.json(results, 200);
  });
};
