/**
 * GET /api/v1/Reservation/activeReservations: the tenant's reservations in force.
 */
import { createRoute, OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import type { OperationDeps } from '../../../operations/deps.ts';
import { listReservations } from '../../../operations/lists.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { requesterName, resourceName, time } from '../../fields.ts';
import { answerList, jsonRows } from '../../listing.ts';
import { answer, parameterOperation } from '../../responses.ts';

const ActiveReservation = z
  .object({
    resource: z.string(),
    requester: z.string(),
    resourceType: z.string(),
    reservedAt: time,
    expiresAt: time.nullable(),
    acquiredSlots: z.record(z.string(), z.string()).nullable(),
    acquiredBlockers: z.array(z.string()).nullable(),
    reservedAtPath: z.string().nullable(),
    fencingToken: z.int(),
    apiKeyLabel: z.string().nullable(),
  })
  .openapi('ActiveReservation');

export const activeReservationsRoute = ({
  sizes,
  ...deps
}: Pick<BodyDeps, 'sizes'> & Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>) => {
  // Of the wider type that lets the handler answer with a stream.
  const responses: RouteConfig['responses'] = {
    200: answer('The reservations.', z.array(ActiveReservation)),
    ...parameterOperation,
  };

  const route = createRoute({
    method: 'get',
    path: '/api/v1/Reservation/activeReservations',
    operationId: 'activeReservations',
    tags: ['Reservation'],
    summary: "List the tenant's active reservations",
    description:
      'In no order. Holds every reservation that was there from the start of the call to its end exactly once, however many there are. Costs one read for each 1,000 slots that are held. An answer that breaks off before its closing bracket is incomplete.',
    request: {
      query: z.object({ requester: requesterName(sizes).optional(), resource: resourceName(sizes).optional() }),
    },
    responses,
  });

  return new OpenAPIHono<AppEnv>().openapi(route, (c) =>
    answerList(c, deps, () => listReservations(deps, c.get('credential'), c.req.valid('query')), jsonRows()),
  );
};
