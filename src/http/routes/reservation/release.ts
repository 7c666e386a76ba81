/**
 * POST /api/v1/Reservation/unreserve: releases reservations (docs/specification.md#release).
 * POST /api/v1/Reservation/renew: renews leases (docs/specification.md#renewals).
 */

import { z } from '@hono/zod-openapi';
import { DryRunQuery } from '../../../contract/dryRun.ts';
import { Failure } from '../../../contract/errors.ts';
import { RenewResults, UnreserveResults } from '../../../contract/minimal.ts';
import { RenewBody, UnreserveBody } from '../../../contract/reservations.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import * as dryRun from '../../../operations/dryRun.ts';
import { renew, unreserve } from '../../../operations/reservations.ts';
import { isDryRun } from '../../call/dryRun.ts';
import { chargedReleases } from '../../call/minimal.ts';
import { operation } from '../../call/operation.ts';
import { type Route, route } from '../../call/route.ts';
import { answer, bodyOperation } from '../../responses.ts';

export const unreserveOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/unreserve',
  operationId: 'unreserve',
  right: 'reserve',
  tags: ['Reservation'],
  summary: 'Release reservations',
  description:
    'Items are applied one by one, in order. If nobody holds the resource, the item is NOT_RESERVED, and the HTTP status 200. With `dryRun=true`, nothing is released: the response says what would happen now.',
  query: DryRunQuery,
  isRepeatable: true,
  canBeMinimal: true,
  body: UnreserveBody,
  responses: {
    200: answer('A result for each item, in the same order.', UnreserveResults),
    ...bodyOperation,
    403: answer(
      'At least one item had a wrong or missing release token (explanation INVALID_RELEASE_TOKEN); the other items were applied. Or the tenant is suspended.',
      z.union([UnreserveResults, Failure]),
    ),
  },
});

export const unreserveRoute = (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads' | 'trail'>,
): Route =>
  route(
    unreserveOperation,
    (call) => (isDryRun(call) ? dryRun.unreserve : unreserve)(deps, call.credential, call.body, call.once),
    chargedReleases,
  );

export const renewOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/renew',
  operationId: 'renew',
  right: 'reserve',
  tags: ['Reservation'],
  summary: 'Renew leases',
  description:
    'Each reservation then expires `ttlSeconds` from now, whether that is later or earlier than before. Items are applied one by one, in order.',
  isRepeatable: true,
  canBeMinimal: true,
  body: RenewBody,
  responses: {
    200: answer('A result for each item, in the same order.', RenewResults),
    ...bodyOperation,
    403: answer(
      'At least one item had a wrong or missing release token (explanation INVALID_RELEASE_TOKEN); the other items were applied. Or the tenant is suspended.',
      z.union([RenewResults, Failure]),
    ),
  },
});

export const renewRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads'>): Route =>
  route(renewOperation, (call) => renew(deps, call.credential, call.body, call.once), chargedReleases);
