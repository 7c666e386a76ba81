/**
 * GET /api/v1/Reservation/activeReservations: lists the tenant's reservations (docs/specification.md#listings).
 */
import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import { ActiveFilter, ActiveReservation } from '../../../contract/reservations.ts';
import { withRules } from '../../../contract/sizes.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { listReservations } from '../../../operations/lists.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { answerList, jsonRows } from '../../listing.ts';
import { operation } from '../../operation.ts';
import { answer, parameterOperation } from '../../responses.ts';

// Of the wider type that lets the handler answer with a stream.
const responses: RouteConfig['responses'] = {
  200: answer('The reservations.', z.array(ActiveReservation)),
  ...parameterOperation,
};

export const activeReservationsOperation = operation({
  method: 'get',
  path: '/api/v1/Reservation/activeReservations',
  operationId: 'listReservations',
  right: 'read',
  tags: ['Reservation'],
  summary: "List the tenant's active reservations",
  description:
    'In no particular order. Every reservation that exists from the start of the call to its end is listed exactly once. Costs one read for each 1,000 held slots. A response that ends before its closing bracket is incomplete.',
  request: { query: ActiveFilter },
  responses,
});

export const activeReservationsRoute = (
  deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>,
) => {
  const route = { ...activeReservationsOperation, request: { query: withRules(ActiveFilter, deps) } };
  return new OpenAPIHono<AppEnv>().openapi(route, (c) =>
    answerList(c, deps, () => listReservations(deps, c.get('credential'), c.req.valid('query')), jsonRows()),
  );
};
