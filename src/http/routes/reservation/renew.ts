/**
 * POST /api/v1/Reservation/renew: gives reservations another lease (docs/specification.md#operations).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { INVALID_RELEASE_TOKEN, RENEW_STATUSES } from '../../../domain/reservations.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { renew } from '../../../operations/renew.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { CODE_HEADER } from '../../errors.ts';
import { batch, item, time, ttlSeconds } from '../../fields.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { answer, bodyOperation, Failure } from '../../responses.ts';
import { unreserveItemFields } from './unreserve.ts';

const RenewResult = z
  .object({
    resource: z.string(),
    requester: z.string(),
    status: z.enum(RENEW_STATUSES),
    explanation: z.string().openapi({ example: 'RENEWED' }),
    expiresAt: time.nullable(),
  })
  .openapi('RenewResult');

export const renewRoute = ({
  sizes,
  unknownFields,
  ...deps
}: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'metrics'>) => {
  const RenewItem = item({ ...unreserveItemFields(sizes), ttlSeconds: ttlSeconds(sizes) }, unknownFields).openapi(
    'RenewItem',
  );

  const Body = batch(RenewItem, sizes);
  const route = createRoute({
    method: 'post',
    path: '/api/v1/Reservation/renew',
    operationId: 'renew',
    tags: ['Reservation'],
    summary: 'Renew leases',
    description:
      'Each reservation then ends so many seconds from now, whether that is later or earlier than before. Each item is carried out on its own, in order.',
    middleware: jsonBody(Body, sizes),
    hide: true,
    responses: {
      200: answer('A result for each item, in their order.', z.array(RenewResult)),
      ...bodyOperation,
      403: answer(
        'At least one item had a wrong or missing release token (explanation INVALID_RELEASE_TOKEN). The others were carried out. Or the tenant is suspended.',
        z.union([z.array(RenewResult), Failure]),
      ),
    },
  });

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, route, Body);
  return app.openapi(route, async (c) => {
    const { result: results, quota } = await renew(deps, c.get('credential'), c.get('body'));
    c.set('quota', quota);
    if (!results.some(({ explanation }) => explanation === INVALID_RELEASE_TOKEN)) return c.json(results, 200);
    c.header(CODE_HEADER, INVALID_RELEASE_TOKEN);
    return c.json(results, 403);
  });
};
