/**
 * GET /api/v1/Resource/usage: shows how much a resource is used, as JSON or CSV
 * (docs/specification.md#usage-of-resources).
 */
import { ResourceUsage, UsageQuery } from '../../contract/history.ts';
import type { Charged } from '../../domain/quota.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { readUsage } from '../../operations/usage.ts';
import type { Call } from '../call/call.ts';
import { CSV, csvHeaders, csvRows, wantsCsv } from '../call/csv.ts';
import { operation } from '../call/operation.ts';
import { charged, type Reply } from '../call/reply.ts';
import { type Route, route } from '../call/route.ts';
import { answer, parameterOperation } from '../openapi/responses.ts';

const COLUMNS = [
  'from',
  'share',
  'outOfServiceShare',
  'reservations',
  'meanHeldSeconds',
  'p95HeldSeconds',
  'meanWaitedSeconds',
  'p95WaitedSeconds',
  'refusals',
] as const satisfies readonly (keyof ResourceUsage['steps'][number])[];

const json = answer('The figures of the whole span, and of each step.', ResourceUsage);
const csv = { schema: { type: 'string' as const, example: `${COLUMNS.join(',')}\r\n` } };

export const usageOperation = operation({
  method: 'get',
  path: '/api/v1/Resource/usage',
  operationId: 'getUsage',
  right: 'read',
  tags: ['Resource'],
  summary: 'See how much a resource is used',
  description:
    'Costs one read for each 1,000 reservations that it looks at. With `Accept: text/csv`, or `format=csv`, the steps as CSV. At most 400 steps.',
  request: { query: UsageQuery },
  responses: { 200: { ...json, content: { ...json.content, [CSV]: csv } }, ...parameterOperation },
});

export const usageRoute = (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings' | 'history'>,
): Route =>
  route(
    usageOperation,
    (call) => {
      const { format: _, ...query } = call.query;
      return readUsage(deps, call.credential, query);
    },
    (done, call) => (wantsCsv(call, call.query.format) ? csvOf(done, call) : charged(done, call)),
  );

function csvOf({ result, quota }: Charged<ResourceUsage>, call: Call): Reply {
  const writer = csvRows(COLUMNS, (step: ResourceUsage['steps'][number]) =>
    COLUMNS.map((column) => String(step[column] ?? '')),
  );
  call.quota = quota;
  return { status: 200, body: writer.write(result.steps) + writer.end(), headers: csvHeaders('usage') };
}
