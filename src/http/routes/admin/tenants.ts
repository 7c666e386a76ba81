/**
 * /api/v1/admin/tenants: lists, reads and changes tenants, for administrators
 * (docs/specification.md#tenants-and-administration). Every change is in the audit trail.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import {
  AdminCleared,
  AdminTenant,
  AdminTenants,
  TenantParams,
  TenantsQuery,
  TierChange,
} from '../../../contract/admin.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { changeTier, resetTenant, resume, suspend } from '../../../operations/tenants.ts';
import type { Store } from '../../../store/records.ts';
import { listTenants, readTenant, type Tenant } from '../../../store/tenants.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation, parameterOperation, unknown } from '../../responses.ts';

const PATH = '/api/v1/admin/tenants';

const common = { tags: ['Administration'], right: 'administrator' as const };

const listed = operation({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'adminTenants',
  summary: 'Search the tenants',
  request: { query: TenantsQuery },
  responses: { 200: answer('A page, sorted by id.', AdminTenants), ...parameterOperation },
});

const read = operation({
  ...common,
  method: 'get',
  path: `${PATH}/{id}`,
  operationId: 'adminTenant',
  summary: 'See a tenant',
  request: { params: TenantParams },
  responses: { 200: answer('The tenant.', AdminTenant), ...unknown, ...parameterOperation },
});

const tierChange = operation({
  ...common,
  method: 'put',
  path: `${PATH}/{id}/tier`,
  operationId: 'adminTier',
  summary: 'Move a tenant to another tier',
  description: 'Its limits apply from the next request on, in windows of their own.',
  body: TierChange,
  request: { params: TenantParams },
  responses: { 200: answer('The tenant.', AdminTenant), ...unknown, ...bodyOperation },
});

const action = <Name extends string>(name: Name, summary: string) =>
  operation({
    ...common,
    method: 'post',
    path: `${PATH}/{id}/${name}`,
    operationId: `admin${name}`,
    summary,
    request: { params: TenantParams },
    responses: { 200: answer('The tenant.', AdminTenant), ...unknown, ...parameterOperation },
  });

const suspended = action('suspend', 'Suspend a tenant');
const resumed = action('resume', 'End the suspension of a tenant');

const resetAll = operation({
  ...common,
  method: 'post',
  path: `${PATH}/{id}/reset`,
  operationId: 'adminReset',
  summary: 'End all reservations of a tenant',
  request: { params: TenantParams },
  responses: { 200: answer('All reservations have ended.', AdminCleared), ...unknown, ...parameterOperation },
});

export const adminOperations = [listed, read, tierChange, suspended, resumed, resetAll];

const toBody = ({ suspendedAt, createdAt, ...tenant }: Tenant) => ({
  ...tenant,
  suspendedAt: suspendedAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});

export const adminRoutes = (deps: BodyDeps & Pick<OperationDeps, 'engine' | 'trail'>, store: Store) => {
  const app = new OpenAPIHono<AppEnv>();
  return app
    .openapi(listed, async (c) => {
      const { search, after, limit } = c.req.valid('query');
      const page = await listTenants(store, search, after, limit);
      return c.json({ tenants: page.map(toBody), next: page.length < limit ? null : (page.at(-1)?.id ?? null) }, 200);
    })
    .openapi(read, async (c) => c.json(toBody(await readTenant(store, c.req.valid('param').id)), 200))
    .openapi(withBody(tierChange, deps), async (c) => {
      const { id } = c.req.valid('param');
      return c.json(toBody(await changeTier(store, c.get('actor'), id, c.get('body').tier)), 200);
    })
    .openapi(suspended, async (c) => c.json(toBody(await suspend(store, c.get('actor'), c.req.valid('param').id)), 200))
    .openapi(resumed, async (c) => c.json(toBody(await resume(store, c.get('actor'), c.req.valid('param').id)), 200))
    .openapi(resetAll, async (c) => {
      const cleared = await resetTenant(deps, store, c.get('actor'), c.req.valid('param').id);
      return c.json({ cleared }, 200);
    });
};
