/**
 * POST /api/v1/Reservation/transaction: reserves and releases in one step (docs/specification.md#operations).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { TRANSACTION_METHODS, TRANSACTION_STATUSES } from '../../../domain/reservations.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { transaction } from '../../../operations/transaction.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { batch, item } from '../../fields.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { answer, bodyOperation } from '../../responses.ts';
import { ReserveResult, reserveItemFields } from './reserve.ts';
import { UnreserveResult, unreserveItemFields } from './unreserve.ts';

const TransactionResult = z
  .object({
    method: z.enum(TRANSACTION_METHODS),
    status: z.enum(TRANSACTION_STATUSES),
    results: z.array(
      z.union([
        ReserveResult,
        UnreserveResult,
        UnreserveResult.extend({ status: z.literal('NOT_AVAILABLE') }).openapi('UndoneUnreserveResult'),
      ]),
    ),
  })
  .openapi('TransactionResult');

export const transactionRoute = ({
  sizes,
  unknownFields,
  ...deps
}: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'metrics'>) => {
  const Request = z
    .discriminatedUnion(
      'requestType',
      [
        item({ requestType: z.literal('RESERVE'), ...reserveItemFields(sizes) }, unknownFields),
        item({ requestType: z.literal('UNRESERVE'), ...unreserveItemFields(sizes) }, unknownFields),
      ],
      { error: ({ code }) => (code === 'invalid_union' ? 'must be RESERVE or UNRESERVE' : 'must be an object') },
    )
    .openapi('TransactionRequest');

  const method = z.enum(TRANSACTION_METHODS, `must be one of ${TRANSACTION_METHODS.join(', ')}`);
  const Transaction = item({ method, requests: batch(Request, sizes) }, unknownFields)
    .superRefine(({ method, requests }, context) => {
      const at = method === 'FIRST' ? requests.findIndex(({ requestType }) => requestType !== 'RESERVE') : -1;
      if (at >= 0) {
        const path = ['requests', at, 'requestType'];
        context.addIssue({ code: 'custom', path, message: 'must be RESERVE where the method is FIRST' });
      }
    })
    .openapi('Transaction');

  const route = createRoute({
    method: 'post',
    path: '/api/v1/Reservation/transaction',
    operationId: 'transaction',
    tags: ['Reservation'],
    summary: 'Reserve and release in one step',
    description:
      'Items are applied in order and see each other’s effect. `ALL_OR_NONE`: all succeed, or nothing is changed. `AS_MANY_AS_POSSIBLE`: each on its own. `FIRST`: the first that succeeds is kept, the later ones are not tried.',
    middleware: jsonBody(Transaction, sizes),
    hide: true,
    responses: { 200: answer('A result for each item, in their order.', TransactionResult), ...bodyOperation },
  });

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, route, Transaction);
  return app.openapi(route, async (c) => {
    const { method, requests } = c.get('body');
    const { result, quota } = await transaction(deps, c.get('credential'), method, requests);
    c.set('quota', quota);
    return c.json(result, 200);
  });
};
