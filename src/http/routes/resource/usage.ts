/**
 * GET /api/v1/Resource/usage: shows how much a resource is used, as JSON or CSV
 * (docs/specification.md#usage-of-resources).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { ResourceUsage, UsageQuery } from '../../../contract/history.ts';
import { withRules } from '../../../contract/sizes.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { readUsage } from '../../../operations/usage.ts';
import { CSV, csvHeaders, csvRows, wantsCsv } from '../../csv.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { operation } from '../../operation.ts';
import { answer, parameterOperation } from '../../responses.ts';

const COLUMNS = [
  'from',
  'share',
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
  deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings' | 'history'>,
) => {
  const route = { ...usageOperation, request: { query: withRules(UsageQuery, deps) } };
  return new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    const { format, ...query } = c.req.valid('query');
    const { result, quota } = await readUsage(deps, c.get('credential'), query);
    c.set('quota', quota);
    if (!wantsCsv(c, format)) return c.json(result, 200);
    const writer = csvRows(COLUMNS, (step: ResourceUsage['steps'][number]) =>
      COLUMNS.map((column) => String(step[column] ?? '')),
    );
    return c.body(writer.write(result.steps) + writer.end(), 200, csvHeaders('usage'));
  });
};
