/**
 * GET /api/v1/Tenant: shows the tenant's tier, its limits and its usage (docs/specification.md#operations). With a key
 * or a session.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { Tenant } from '../../../contract/tenant.ts';
import { usage } from '../../../engine/tenant/usage.ts';
import type { Store } from '../../../store/records.ts';
import { countKeys, readTenant } from '../../../store/tenants.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { notByToken } from '../../middleware/notByToken.ts';
import { operation } from '../../operation.ts';
import { answer, anyOperation } from '../../responses.ts';

export const tenantOperation = operation({
  method: 'get',
  path: '/api/v1/Tenant',
  operationId: 'tenant',
  tags: ['Tenant'],
  summary: 'See the tier, its limits and the usage of them',
  responses: { 200: answer('The tenant.', Tenant), ...anyOperation },
});

export const tenantRoute = ({ engine, reads }: HttpDeps, store: Store) =>
  new OpenAPIHono<AppEnv>().openapi({ ...tenantOperation, middleware: notByToken }, async (c) => {
    const credential = c.get('credential');
    await reads.charge(credential);
    const { tier, ...used } = await usage(engine, credential);
    const { id, name } = await readTenant(store, credential.tenant);
    const apiKeys = await countKeys(store, id);
    return c.json({ id, name, tier, limits: engine.tiers[tier], usage: { ...used, apiKeys } }, 200);
  });
