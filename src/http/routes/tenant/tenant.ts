/**
 * GET /api/v1/Tenant: shows the tenant's tier, its limits and its usage
 * (docs/specification.md#tenants-and-administration). With a key or a session.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { Tenant } from '../../../contract/tenant.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { tenantUsage } from '../../../operations/tenant.ts';
import type { Store } from '../../../store/records.ts';
import type { AppEnv } from '../../env.ts';
import { operation } from '../../operation.ts';
import { answer, anyOperation } from '../../responses.ts';

export const tenantOperation = operation({
  method: 'get',
  path: '/api/v1/Tenant',
  operationId: 'getTenant',
  right: 'usage',
  tags: ['Tenant'],
  summary: 'See the tier, its limits and the usage of them',
  description: 'The numbers are those of this moment, of all instances together.',
  responses: { 200: answer('The tenant.', Tenant), ...anyOperation },
});

export const tenantRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads'>, store: Store) =>
  new OpenAPIHono<AppEnv>().openapi(tenantOperation, async (c) => {
    const { result, quota } = await tenantUsage({ ...deps, store }, c.get('credential'));
    c.set('quota', quota);
    return c.json(result, 200);
  });
