/**
 * PUT /api/v1/Resource/condition: takes slots out of service, brings them back, or says that they are dirty
 * (docs/specification.md#condition).
 */
import { z } from '@hono/zod-openapi';
import { ConditionBody, ConditionResult } from '../../contract/conditions.ts';
import { DryRunQuery } from '../../contract/preferences.ts';
import { dryRun, setCondition } from '../../operations/conditions.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { isDryRun } from '../call/idempotency.ts';
import { operation } from '../call/operation.ts';
import { charged } from '../call/reply.ts';
import { type Route, route } from '../call/route.ts';
import { answer, bodyOperation } from '../openapi/responses.ts';

export const setConditionOperation = operation({
  method: 'put',
  path: '/api/v1/Resource/condition',
  operationId: 'setCondition',
  right: 'define',
  tags: ['Resource'],
  summary: 'Take slots out of service, and bring them back',
  description:
    'A pool means all its slots. A request sets at most 500 slots, each of which is one write. A condition takes nothing from a holder. With `dryRun=true`, nothing changes: the response says what would happen now.',
  query: DryRunQuery,
  isRepeatable: true,
  body: ConditionBody,
  responses: {
    200: answer('A result for each item, in the same order.', z.array(ConditionResult)),
    ...bodyOperation,
  },
});

export const setConditionRoute = (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads' | 'trail'>,
): Route =>
  route(
    setConditionOperation,
    (call) => (isDryRun(call) ? dryRun : setCondition)(deps, call.credential, call.body, call.idempotency),
    charged,
  );
