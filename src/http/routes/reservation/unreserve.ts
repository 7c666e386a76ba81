/**
 * POST /api/v1/Reservation/unreserve: releases reservations (docs/specification.md#plans, #operations, #events).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { INVALID_RELEASE_TOKEN, UNRESERVE_STATUSES } from '../../../domain/reservations.ts';
import type { Sizes } from '../../../domain/sizes.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { unreserve } from '../../../operations/unreserve.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { CODE_HEADER } from '../../errors.ts';
import { batch, item, releaseToken, requesterName, reserveResultFields, resourceName } from '../../fields.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { answer, bodyOperation, Failure } from '../../responses.ts';

export const UnreserveResult = z
  .object({
    resource: z.string(),
    requester: z.string(),
    status: z.enum(UNRESERVE_STATUSES),
    explanation: z.string().openapi({ example: 'RELINQUISHED' }),
    released: z.array(z.string()).nullable().openapi({ description: 'The physical slots that became free.' }),
  })
  .openapi('UnreserveResult');

export const unreserveItemFields = (sizes: Sizes) => ({
  requester: requesterName(sizes),
  resource: resourceName(sizes),
  releaseToken,
  ...reserveResultFields,
});

export const unreserveRoute = ({
  sizes,
  unknownFields,
  ...deps
}: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'metrics'>) => {
  const UnreserveItem = item(unreserveItemFields(sizes), unknownFields).openapi('UnreserveItem');

  const Body = batch(UnreserveItem, sizes);
  const route = createRoute({
    method: 'post',
    path: '/api/v1/Reservation/unreserve',
    operationId: 'unreserve',
    tags: ['Reservation'],
    summary: 'Release reservations',
    description: 'Each item is carried out on its own, in order. Releasing what is free already is a success.',
    middleware: jsonBody(Body, sizes),
    hide: true,
    responses: {
      200: answer('A result for each item, in their order.', z.array(UnreserveResult)),
      ...bodyOperation,
      403: answer(
        'At least one item had a wrong or missing release token (explanation INVALID_RELEASE_TOKEN). The others were carried out. Or the tenant is suspended.',
        z.union([z.array(UnreserveResult), Failure]),
      ),
    },
  });

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, route, Body);
  return app.openapi(route, async (c) => {
    const { result: results, quota } = await unreserve(deps, c.get('credential'), c.get('body'));
    c.set('quota', quota);
    if (!results.some(({ explanation }) => explanation === INVALID_RELEASE_TOKEN)) return c.json(results, 200);
    c.header(CODE_HEADER, INVALID_RELEASE_TOKEN);
    return c.json(results, 403);
  });
};
